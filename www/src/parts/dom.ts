/** The element with this id; if it is missing, the error names it. */
export function byId<T extends HTMLElement>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) {
    throw new Error(`this page has no ${kind.name} with the id ${id}`);
  }
  return element;
}
