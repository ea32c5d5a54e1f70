/* Source and instructions with their parts marked for colours: warplens.colored(text, "source" | "code") gives nodes. It
 * looks at one line only: comments over several lines stay as they are. */
warplens.colored = (() => {
    const { h } = warplens;
    const words = [
        "auto bool break case char class const constexpr continue default do double else enum extern false float for if inline int",
        "long namespace operator private public register return short signed sizeof static struct switch template this true",
        "typedef typename unsigned using void volatile while __global__ __device__ __shared__ __restrict__ __launch_bounds__",
        "__syncthreads threadIdx blockIdx blockDim gridDim float2 float4 int2 int4 uint4 half dim3 size_t",
    ]
        .join("|")
        .replace(/ /g, "|");
    const kinds = ["comment", "string", "directive", "word", "register", "number"];
    const patterns = {
        source: new RegExp(
            "(\\/\\/.*|\\/\\*.*?\\*\\/)|(\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*')|(^\\s*#\\s*\\w+)|\\b(" +
                words +
                ")\\b|(\\x00)|\\b(\\d[\\w.]*)",
            "g",
        ),
        code: /(\/\/.*)|(\x00)|(@!?%?\w+)|(^[a-zA-Z][\w.]*|(?<=^@!?%?\w+\s+)[a-zA-Z][\w.]*)|(%\w+|\b(?:R|UR|P|UP)\d+\b)|(?<![\w%])(-?\d[\w.]*)/g,
    };

    return (text, kind) => {
        const nodes = [];
        let end = 0;
        for (const match of text.matchAll(patterns[kind])) {
            const which = match.slice(1).findIndex((part) => part !== undefined);
            if (match.index > end) nodes.push(text.slice(end, match.index));
            nodes.push(h("span", { class: "is-" + kinds[which] }, match[0]));
            end = match.index + match[0].length;
        }
        nodes.push(text.slice(end));
        return nodes;
    };
})();
