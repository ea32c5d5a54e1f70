"""A jitted training step of a small network in JAX."""
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_deterministic_ops=true")

import jax
import jax.numpy as jnp

import steps


def predict(layers, x):
    for weights, bias in layers[:-1]:
        x = jax.nn.gelu(x @ weights + bias)
    weights, bias = layers[-1]
    return x @ weights + bias


def loss(layers, x, y):
    return jnp.mean((predict(layers, x) - y) ** 2)


@jax.jit
def train(layers, x, y):
    value, slopes = jax.value_and_grad(loss)(layers, x, y)
    return value, jax.tree_util.tree_map(lambda p, g: p - 0.01 * g, layers, slopes)


def main():
    asked = steps.arguments(50)
    sizes = [512, 2048, 2048, 256]
    keys = jax.random.split(jax.random.PRNGKey(0), len(sizes) + 1)
    state = {"layers": [(jax.random.normal(key, (a, b)) / a**0.5, jnp.zeros(b))
                        for key, a, b in zip(keys, sizes, sizes[1:])]}
    x, y = jax.random.normal(keys[-2], (1024, 512)), jax.random.normal(keys[-1], (1024, 256))

    def step():
        state["loss"], state["layers"] = train(state["layers"], x, y)

    steps.run(step, lambda: jax.block_until_ready(state), asked.steps)
    steps.result("loss", state["loss"])


main()
