/** Code to click. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  Create: 'const x = tensor([[1, 2, 3], [4, 5, 6]]);\nconsole.log(x.shape, x.dtype);\nrandn([2, 3]).add(x)',
  Indexing: "const x = arange(20).reshape([4, 5]);\nconsole.log('x[1:, ::2]');\nx.at('1:', '::2')",
  Broadcasting: 'const column = arange(3).reshape([3, 1]);\nconst row = arange(4).mul(10);\ncolumn.add(row)',
  'Reshape and transpose': 'const x = arange(6);\nconsole.log(x.reshape([2, 3]));\nx.reshape([2, 3]).T',
  'Views share memory': 'const x = zeros([3, 4]);\nconst row = x.at(1);\nrow.fill_(7);\nx',
  'Reduce a dimension': 'const x = arange(12).reshape([3, 4]);\nconsole.log(x.sum());\nx.sum({ dim: 1, keepdim: true })',
  'An error': 'zeros([2, 3]).matmul(zeros([4, 5]))',
};
