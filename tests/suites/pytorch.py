#!/usr/bin/env python3
"""Compares PyTorch's operators on the simulated GPU with the same on the host.

    LD_LIBRARY_PATH=BUILD/lib pytorch.py [-d TYPE]... [-l LIMIT_S] [-o FILE] [OPERATOR...]
    pytorch.py --table FILE...

    OPERATOR  only these; default all of PyTorch's own list of operators (op_db), with its samples
    -d        type of elements (default: float32); may be given several times
    -l        limit of an operator in seconds by the clock (default 120)
    -o        file for results (default: standard output)
    --table   prints results as the tables of docs/evidence/pytorch.md

Needs a PyTorch whose kernels have PTX and whose CUDA runtime is shared, as Debian's
python3-torch-cuda. Gradients are compared for types that have them. A line for each operator and
type: operator|type|same|different|only run|seconds|reason, by samples. An operator that ends Python, or is
late, counts as one sample that differs; the next ones go on in a new Python."""
import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import time
import warnings

# Results that no two implementations need share.
RANDOM = re.compile(
    r"(new_)?empty.*|.*dropout\d?d?|rand.*|normal.*|bernoulli.*|multinomial|cauchy|exponential|geometric|"
    r"log_normal|uniform|.*rrelu|.*fractional_max_pool.*|.*_lowrank|as_strided\.partial_views")
# Which of equal elements is found is not told: only the values are compared.
TIES = re.compile(r"sort|topk|kthvalue|(nan|masked\.)?median|mode|(cum)?(max|min)(\..*)?|(masked\.)?arg(max|min)")
NOT_UNIQUE = re.compile(r"(linalg\.)?(svd|eig|eigh|qr|lstsq)|geqrf|ormqr|(linalg\.)?householder_product")
LEFT_OUT = {
    "sparse.mm.reduce": "PyTorch has it on the host only",
    "nonzero_static": "PyTorch's own for the host divides by zero",
}
TOLERANCE = {"float16": 3e-2, "bfloat16": 2e-1, "float64": 1e-7, "complex128": 1e-7}


def on_host(value, torch):
    """Of few bits as single precision, which the host computes with fewer errors."""
    if isinstance(value, torch.Tensor):
        copy = value.detach().cpu()
        copy = copy.float() if copy.dtype in (torch.float16, torch.bfloat16) else copy
        return copy.requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        items = [on_host(item, torch) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: on_host(item, torch) for key, item in value.items()}
    if isinstance(value, torch.device) or (isinstance(value, str) and value.startswith("cuda")):
        return torch.device("cpu")
    return value


def in_range(wanted, got):
    """What is too great for few bits is infinite."""
    return wanted.to(got.dtype) if wanted.is_floating_point() and got.is_floating_point() else wanted


def tensors(value, torch):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [found for item in value for found in tensors(item, torch)]
    if isinstance(value, dict):
        return [found for item in value.values() for found in tensors(item, torch)]
    return []


def gradients(result, inputs, torch):
    """Of the sum of all that is differentiable, weighted by place, for inputs that want one."""
    total = None
    for part in tensors(result, torch):
        if part.requires_grad and part.layout == torch.strided and part.numel():
            weight = torch.linspace(0.5, 1.5, part.numel(), dtype=torch.float64).reshape(part.shape)
            term = (part.abs() if part.is_complex() else part) * weight.to(part.device, torch.float32)
            total = term.sum() if total is None else total + term.sum()
    wanted = [tensor for tensor in tensors(inputs, torch) if tensor.requires_grad and tensor.is_leaf]
    if total is None or not wanted:
        return []
    return torch.autograd.grad(total, wanted, allow_unused=True)


def compare(operator, name, dtype, sample, torch, has_gradient):
    """"same", or "only run" where two results need not agree; None: the host refuses the sample, too."""
    host = [on_host(part, torch) for part in (sample.input, sample.args, sample.kwargs)]
    gpu = [sample.input, sample.args, sample.kwargs]
    with torch.random.fork_rng():
        try:
            expected = operator(host[0], *host[1], **host[2])
            expected_gradients = gradients(expected, host, torch) if has_gradient else []
        except (RuntimeError, NotImplementedError, ValueError, IndexError):
            return None
        result = operator(gpu[0], *gpu[1], **gpu[2])
        got_gradients = gradients(result, gpu, torch) if has_gradient else []
    if RANDOM.fullmatch(name) or NOT_UNIQUE.fullmatch(name) or name == "argsort":
        return "only run"
    has_dropout = "dropout" in name or sample.kwargs.get("dropout_p")
    if has_dropout or (sample.kwargs.get("training") and "multi_head_attention" in name):
        return "only run"
    if TIES.fullmatch(name) and isinstance(result, (list, tuple)):
        result, expected = result[0], expected[0]
    tolerance = TOLERANCE.get(str(dtype).split(".")[1], 1e-3)
    check = dict(rtol=tolerance, atol=tolerance, equal_nan=True, check_stride=False, check_device=False,
                 check_dtype=False)
    for got, wanted in zip(tensors(result, torch), tensors(expected, torch)):
        if got.layout == torch.strided and got.shape == wanted.shape:
            torch.testing.assert_close(got.detach().cpu(), in_range(wanted.detach(), got), **check)
    for got, wanted in zip(got_gradients, expected_gradients):
        if got is not None and wanted is not None and got.layout == torch.strided:
            torch.testing.assert_close(got.cpu(), in_range(wanted, got), **check)
    return "same"


def run_operator(operator, name, dtype, torch):
    counts = {"same": 0, "only run": 0, None: 0}
    different = 0
    reason = ""
    has_gradient = (operator.supports_autograd and dtype in operator.backward_dtypesIfCUDA and
                    (dtype.is_floating_point or dtype.is_complex))
    try:
        for sample in operator.sample_inputs("cuda", dtype, requires_grad=has_gradient):
            try:
                counts[compare(operator, name, dtype, sample, torch, has_gradient)] += 1
            except Exception as error:  # whatever PyTorch raises is the result
                different += 1
                reason = reason or f"{type(error).__name__}: {error}"
        torch.cuda.synchronize()
    except Exception as error:
        different += 1
        reason = reason or f"{type(error).__name__}: {error}"
    return counts["same"], different, counts["only run"], " ".join(reason.replace("|", "/").split())[:200]


def is_broken(torch):
    try:
        torch.cuda.synchronize()
    except Exception:
        return True
    return False


def work(arguments):
    """The rows from number `first` on; before each a line `@number name`."""
    warnings.filterwarnings("ignore")
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    number = -1
    for dtype_name in arguments.types:
        dtype = getattr(torch, dtype_name)
        for operator in op_db:
            number += 1
            variant = operator.variant_test_name
            name = f"{operator.name}.{variant}" if variant else operator.name
            if number < arguments.first or dtype not in operator.dtypesIfCUDA or name in LEFT_OUT:
                continue
            if arguments.operators and operator.name not in arguments.operators:
                continue
            print(f"@{number}|{name}|{dtype_name}", flush=True)
            began = time.monotonic()
            signal.alarm(arguments.limit)
            same, different, only_run, reason = run_operator(operator, name, dtype, torch)
            signal.alarm(0)
            took = time.monotonic() - began
            print(f"{name}|{dtype_name}|{same}|{different}|{only_run}|{took:.1f}|{reason}", flush=True)
            if is_broken(torch):
                return 1
    return 0


def supervise(arguments, out):
    first, failed = 0, False
    while True:
        command = [sys.executable, os.path.abspath(__file__), "--first", str(first), "-l", str(arguments.limit)]
        for name in arguments.types:
            command += ["-d", name]
        child = subprocess.Popen(command + arguments.operators, stdout=subprocess.PIPE, text=True)
        under_way = None
        for line in child.stdout:
            if line.startswith("@"):
                under_way = line[1:].rstrip().split("|")
                first = int(under_way[0]) + 1
            elif line.count("|") >= 6:
                failed |= line.split("|")[3] != "0"
                under_way = None
                out.write(line)
                out.flush()
        status = child.wait()
        if under_way:
            failed = True
            reason = "late" if status == -signal.SIGALRM else f"ended by {status}"
            out.write(f"{under_way[1]}|{under_way[2]}|0|1|0|{arguments.limit}|{reason}\n")
            out.flush()
        elif status != 1:
            peak_gib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
            print(f"largest Python: {peak_gib:.1f} GiB", file=sys.stderr)
            return 2 if status else failed


def print_table(files):
    rows = [line.rstrip("\n").split("|", 6) for name in files for line in open(name)]
    types = list(dict.fromkeys(row[1] for row in rows))
    print("| type | operators | samples the same | different | only run | seconds |\n|---|---|---|---|---|---|")
    for dtype in types:
        own = [row for row in rows if row[1] == dtype]
        same, different, only_run = (sum(int(row[i]) for row in own) for i in (2, 3, 4))
        took = sum(float(row[5]) for row in own)
        print(f"| {dtype} | {len(own)} | {same} | {different} | {only_run} | {took:.0f} |")
    different = [row for row in rows if row[3] != "0"]
    if different:
        print("\n| operator | type | same | different | the first |\n|---|---|---|---|---|")
    for row in different:
        reason = re.sub(r"([<>*_\[\]])", r"\\\1", row[6])
        print(f"| `{row[0]}` | {row[1]} | {row[2]} | {row[3]} | {reason} |")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-d", dest="types", action="append", help="float32, float16, int64 ...")
    parser.add_argument("-l", dest="limit", type=int, default=120)
    parser.add_argument("-o", dest="out")
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("operators", nargs="*")
    arguments = parser.parse_args()
    if arguments.table:
        return print_table(arguments.operators)
    arguments.types = arguments.types or ["float32"]
    if arguments.first is not None:
        return work(arguments)
    with open(arguments.out, "w") if arguments.out else os.fdopen(1, "w") as out:
        return supervise(arguments, out)


if __name__ == "__main__":
    sys.exit(main())
