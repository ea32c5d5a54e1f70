"""A transformer of four layers in bf16, batch 8 x 512: forward, backward, AdamW.
--mode eager, compiled (torch.compile with CUDA graphs), or ddp (under torchrun: one GPU a process, NCCL).
--torch-profiler FILE: PyTorch's own profiler writes launches and time of each kernel there, as JSON.
--torch-stacks FILE: it writes a step's events with Python's functions there, as a Chrome trace.
--one-step yes: cudaProfilerStart and cudaProfilerStop stand around a step of its own at the end."""
import json
import os

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import torch
from torch import nn
from torch.nn import functional

import steps


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mix, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        mixed = self.mix(self.before(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = mixed.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(functional.gelu(self.up(self.between(x))))


class Transformer(nn.Module):
    def __init__(self, words=8192, width=1024, heads=16, layers=4):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, words):
        x = self.embed(words)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def profiled(step, file):
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        step()
        torch.cuda.synchronize()
    kernels = {}
    for event in profiler.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            row = kernels.setdefault(event.name, {"launches": 0, "us": 0.0})
            row["launches"] += 1
            row["us"] += event.time_range.elapsed_us()
    with open(file, "w") as out:
        json.dump(kernels, out, indent=1)


def profiled_with_stacks(step, file):
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], with_stack=True) as profiler:
        step()
        torch.cuda.synchronize()
    profiler.export_chrome_trace(file)


def one_step(step):
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    step()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


def main():
    asked = steps.arguments(10, mode="eager", torch_profiler="", torch_stacks="", one_step="no", batch=8, length=512)
    rank = int(os.environ.get("LOCAL_RANK", 0))
    torch.cuda.set_device(rank)
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True) # and no more: attention's backward pass takes a warning for no
    torch.backends.cuda.enable_cudnn_sdp(False) # its backward pass adds in any order
    model = Transformer().to("cuda", torch.bfloat16)
    trained = model
    if asked.mode == "ddp":
        torch.distributed.init_process_group("nccl")
        trained = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    elif asked.mode == "compiled":
        trained = torch.compile(model, mode="reduce-overhead")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    words = torch.randint(0, 8192, (int(asked.batch), int(asked.length) + 1), device="cuda",
                          generator=torch.Generator("cuda").manual_seed(1 + rank))
    losses = []

    def step():
        optimizer.zero_grad(set_to_none=True)
        guess = trained(words[:, :-1])
        loss = functional.cross_entropy(guess.float().view(-1, guess.shape[-1]), words[:, 1:].reshape(-1))
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().clone())

    steps.run(step, torch.cuda.synchronize, asked.steps)
    if asked.torch_profiler and rank == 0:
        profiled(step, asked.torch_profiler)
    if asked.torch_stacks and rank == 0:
        profiled_with_stacks(step, asked.torch_stacks)
    if asked.one_step == "yes":
        one_step(step)
    if rank == 0:
        steps.result("losses", losses[0], losses[len(losses) // 2], losses[asked.steps + 2])
    if asked.mode == "ddp":
        torch.distributed.destroy_process_group()


main()
