/**
 * Examples that are not PyTorch's samples: of operations that have none, and of well-known ones
 * that a chosen input explains better. Each is shown with the output that it has.
 */
export const WRITTEN: Readonly<Record<string, string>> = {};
