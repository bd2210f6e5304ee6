/** The badge that names the page's device. */
export function showDevice(badge: HTMLElement, device: 'webgpu' | 'cpu', adapter: string): void {
  badge.dataset['device'] = device;
  const name = document.createElement('strong');
  name.textContent = device === 'webgpu' ? 'WebGPU' : 'CPU';
  const detail = document.createElement('span');
  detail.textContent = adapter;
  badge.replaceChildren(name, detail);
  badge.title = adapter;
}

/** The same badge while there is no device, or none any more. */
export function showNoDevice(badge: HTMLElement, words: string): void {
  delete badge.dataset['device'];
  const detail = document.createElement('span');
  detail.textContent = words;
  badge.replaceChildren(detail);
  badge.title = '';
}
