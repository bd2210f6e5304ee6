/** The device with the least that WebGPU guarantees. */

/**
 * Makes every adapter one without features, with the minimum limits of WebGPU. Runs in the page.
 */
export function offerTheLeast() {
  const least = {
    maxBufferSize: 268435456, maxStorageBufferBindingSize: 134217728, maxUniformBufferBindingSize: 65536, maxStorageBuffersPerShaderStage: 8,
    maxUniformBuffersPerShaderStage: 12, maxComputeWorkgroupStorageSize: 16384, maxComputeInvocationsPerWorkgroup: 256, maxComputeWorkgroupSizeX: 256,
    maxComputeWorkgroupSizeY: 256, maxComputeWorkgroupSizeZ: 64, maxComputeWorkgroupsPerDimension: 65535, maxBindGroups: 4,
    maxBindingsPerBindGroup: 1000, maxDynamicStorageBuffersPerPipelineLayout: 4,
  };
  for (const [name, value] of Object.entries(least)) {
    Object.defineProperty(GPUSupportedLimits.prototype, name, { get: () => value });
  }
  GPUSupportedFeatures.prototype.has = () => false;
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = function (descriptor = {}) {
    window.asked = { features: [...(descriptor.requiredFeatures ?? [])], limits: { ...descriptor.requiredLimits } };
    return requestDevice.call(this, { label: descriptor.label });
  };
}
