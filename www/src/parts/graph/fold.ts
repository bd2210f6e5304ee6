/**
 * The nodes of a graph as a tree of groups, so that a graph of thousands of nodes is shown by some
 * dozens. A group is a run of consecutive nodes that were called in the same module: the nodes are
 * in the order of execution, so groups never depend on each other in a circle.
 */
import type { GraphInfo, ModuleInfo } from './info';

/** Longer levels are divided into runs without a name. */
const MAX_CHILDREN = 60;
/** Groups are opened at first up to this many shown nodes. */
const SHOWN_AT_FIRST = 40;
/** The most nodes shown at once: layout takes time that grows faster than their number. */
export const MAX_SHOWN = 400;

/** A node of the graph, by its index. */
export interface Leaf {
  first: number;
  last: number;
}

/** The nodes from `first` to `last`, as children in order. */
export interface Group extends Leaf {
  /** The module's path and class, or the numbers of the nodes of a nameless run. */
  title: string;
  kind: string;
  children: readonly Item[];
}

export type Item = Leaf | Group;

export const isGroup = (item: Item): item is Group => 'children' in item;

/** The groups of the nodes, by the modules that they were called in. */
export function groupsOf({ nodes, modules }: GraphInfo): readonly Item[] {
  let before: readonly ModuleInfo[] = [];
  const stacks = nodes.map(({ outputs }) => {
    const name = outputs.find((output) => output !== null && modules.has(output));
    // A node that the file does not know was made from its neighbours.
    before = name ? modules.get(name)! : before;
    return before;
  });
  return level(stacks, 0, nodes.length, 0);
}

function level(stacks: readonly (readonly ModuleInfo[])[], first: number, end: number, depth: number): readonly Item[] {
  const items: Item[] = [];
  for (let from = first; from < end; ) {
    const found = stacks[from]![depth];
    let to = from + 1;
    while (found && to < end && stacks[to]![depth]?.path === found.path) {
      to += 1;
    }
    if (!found || to === from + 1) {
      items.push({ first: from, last: from });
    } else {
      items.push(group(found.path, found.kind, level(stacks, from, to, depth + 1)));
    }
    from = to;
  }
  return divide(items);
}

/** A group; one whose only child is a group is that child. */
function group(title: string, kind: string, children: readonly Item[]): Item {
  const [only] = children;
  if (children.length === 1 && only) {
    return isGroup(only) ? { ...only, title, kind } : only;
  }
  return { first: children[0]!.first, last: children.at(-1)!.last, title, kind, children };
}

function divide(items: readonly Item[]): readonly Item[] {
  if (items.length <= MAX_CHILDREN) {
    return items;
  }
  const size = Math.ceil(items.length / Math.ceil(items.length / MAX_CHILDREN));
  const runs: Item[] = [];
  for (let at = 0; at < items.length; at += size) {
    const children = items.slice(at, at + size);
    runs.push(group(`${children[0]!.first + 1} to ${children.at(-1)!.last + 1}`, 'operators', children));
  }
  return divide(runs);
}

/** Which groups are open. */
export class Folding {
  private readonly open = new Set<Item>();

  constructor(private readonly items: readonly Item[]) {
    for (let queue = [...items]; queue.length > 0; ) {
      const item = queue.shift()!;
      if (isGroup(item) && this.shown.length + item.children.length - 1 <= SHOWN_AT_FIRST) {
        this.open.add(item);
        queue.push(...item.children);
      }
    }
  }

  /** The items that are shown, in order. */
  get shown(): Item[] {
    const visit = (item: Item): Item[] => (isGroup(item) && this.open.has(item) ? item.children.flatMap(visit) : [item]);
    return this.items.flatMap(visit);
  }

  /** The open groups around an item, the outermost first. */
  around({ first }: Item): Group[] {
    const path: Group[] = [];
    const holds = (item: Item): item is Group => isGroup(item) && this.open.has(item) && item.first <= first && first <= item.last;
    for (let items = this.items; ; ) {
      const found = items.find(holds);
      if (!found) {
        return path;
      }
      path.push(found);
      items = found.children;
    }
  }

  /** Opens a group; returns false if too many nodes would be shown. */
  unfold(item: Group): boolean {
    if (this.shown.length + item.children.length > MAX_SHOWN) {
      return false;
    }
    this.open.add(item);
    return true;
  }

  fold(item: Group): void {
    this.open.delete(item);
  }
}
