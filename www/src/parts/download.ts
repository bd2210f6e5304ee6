/** Offers `file` to the visitor as a download. */
export function offer(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The download has begun by then; otherwise the file would stay in memory.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
