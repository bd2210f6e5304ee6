/** Draws a tensor [1, 3, 240, 320]: a number of -1 is black, one of 1 is bright. */
export const SHADER = `
const WIDTH = 320u;
const HEIGHT = 240u;

@group(0) @binding(0) var<storage> planes: array<f32>;

@vertex fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment fn colour(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let pixel = u32(at.y) * WIDTH + u32(at.x);
  let plane = WIDTH * HEIGHT;
  let values = vec3f(planes[pixel], planes[pixel + plane], planes[pixel + 2u * plane]);
  return vec4f(abs(values), 1.0);
}
`;
