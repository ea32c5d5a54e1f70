"""Two steps of a model; words: profiler (the program's own, in the second step), compile, fail."""
import importlib.util
import sys

importlib.util.find_spec("torch") # as some ask before they load it
import torch


class Linear(torch.nn.Module):
    def forward(self, value):
        torch.operator("aten::linear", "AddmmBackward0", inner="aten::addmm")
        return value + 1


class Block(torch.nn.Module):
    def __init__(self):
        self.mix, self.out = Linear(), Linear()

    def forward(self, value):
        value = self.mix(value)
        torch.operator("aten::relu", "ReluBackward0")
        if value > 100:
            raise ValueError("too much")
        return self.out(value)


class Net(torch.nn.Module):
    def __init__(self):
        self.first, self.second = Block(), Block()

    def forward(self, value):
        return self.second(self.first(value))


def main():
    model = Net()
    if "compile" in sys.argv:
        model = torch.compile(model)
    torch.cuda.init()
    if "fail" in sys.argv:
        try:
            model(100)
        except ValueError as error:
            print("said:", error)
    for step in range(2):
        if step and "profiler" in sys.argv:
            torch.autograd.profiler._enable_profiler("theirs", set())
        print("result:", model(step))
        torch.operator("aten::fill_")
        torch.backward(sys.argv[1])
        if step and "profiler" in sys.argv:
            torch.autograd.profiler._disable_profiler()
    print("path:", [path for path in sys.path if "warplens" in path or path.endswith("/lib/python")],
          sys.modules["sitecustomize"].__dict__.get("OTHER", "") if "sitecustomize" in sys.modules else "")


main()
