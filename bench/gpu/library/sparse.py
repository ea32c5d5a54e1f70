#!/usr/bin/env python3
"""Products of cuSPARSE through PyTorch, of sizes that calls.py has read: to be profiled on a simulated GPU.

    WARPLENS_GPU=h200 warplens profile -k regex:sparse -o REPORT python3 sparse.py
    warplens show REPORT --page raw --csv --metrics gpu__time_duration.sum"""
import torch

# rows, elements of each, columns of the other factor
for rows, each, columns in ((494, 4, 1), (35807, 16, 1), (316401, 16, 1), (262940, 64, 1), (316401, 16, 4), (32590, 64, 64)):
    places = torch.randint(0, rows, (rows * each,), device="cuda").view(rows, each).sort(1)[0].flatten().int()
    starts = torch.arange(0, rows * each + 1, each, device="cuda").int()
    a = torch.sparse_csr_tensor(starts, places, torch.randn(rows * each, device="cuda"), (rows, rows))
    b = torch.randn(rows, columns, device="cuda")
    a @ (b[:, 0] if columns == 1 else b)
torch.cuda.synchronize()
