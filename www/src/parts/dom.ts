/** The element with this id; a page without it is a mistake in its HTML, and says which. */
export function byId<T extends HTMLElement>(id: string, kind: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) {
    throw new Error(`this page has no ${kind.name} with the id ${id}`);
  }
  return element;
}
