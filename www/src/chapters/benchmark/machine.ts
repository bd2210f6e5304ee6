/** A description of this machine. */

export interface Machine {
  browser: string;
  cores: number;
  /** The adapter of WebGPU; undefined if there is none. */
  adapter: string | undefined;
  /** The adapter computes on the CPU. */
  isSoftware: boolean;
}

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|software|basic render|warp/i;

export async function describeMachine(): Promise<Machine> {
  const info = await adapterInfo();
  const adapter = info && ([info.vendor, info.architecture, info.description, info.device].filter(Boolean).join(' ') || 'an adapter without a name');
  return {
    browser: browserName(),
    cores: navigator.hardwareConcurrency,
    adapter,
    isSoftware: adapter !== undefined && (SOFTWARE.test(adapter) || info?.isFallbackAdapter === true),
  };
}

interface AdapterInfo {
  vendor: string;
  architecture: string;
  description: string;
  device: string;
  isFallbackAdapter?: boolean;
}

/** TypeScript's own library does not have WebGPU yet. */
interface WithGpu {
  gpu?: { requestAdapter(options: object): Promise<{ info: AdapterInfo } | null> };
}

async function adapterInfo(): Promise<AdapterInfo | undefined> {
  const { gpu } = navigator as WithGpu;
  const adapter = await gpu?.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null);
  return adapter?.info;
}

/** The name of the browser with its version, from `navigator`. */
function browserName(): string {
  const { userAgent } = navigator;
  const [, name, version] = /(Firefox|Edg|HeadlessChrome|Chrome)\/(\d+)/.exec(userAgent) ?? /(Version)\/([\d.]+).*Safari/.exec(userAgent) ?? [];
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', HeadlessChrome: 'Chrome without a window', Version: 'Safari' };
  return name ? `${names[name] ?? name} ${version}` : userAgent;
}

export function machineInWords({ browser, cores, adapter }: Machine): string {
  const gpu = adapter ? `WebGPU on ${adapter}` : 'no adapter for WebGPU';
  return `${browser}, ${cores} logical cores, ${gpu}.`;
}
