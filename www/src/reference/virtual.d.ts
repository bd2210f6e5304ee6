/** The entries of the reference, which the site's build reads from docs/. */
declare module 'virtual:reference' {
  const entries: readonly { kind: string; name: string; javascript: string; summary: string; page: string }[];
  export default entries;
}
