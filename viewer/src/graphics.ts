// What draws: a graphics card, or the processor in its place.

export interface Graphics {
  software: boolean;
}

// Null where WebGL 2 is missing.
export function graphicsHere(): Graphics | null {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return null;
  // Some browsers say who draws at once, others by an extension, which the first kind warns of.
  let name = String(gl.getParameter(gl.RENDERER));
  if (/^webkit webgl$/i.test(name)) {
    const extension = gl.getExtension('WEBGL_debug_renderer_info');
    if (extension) name = String(gl.getParameter(extension.UNMASKED_RENDERER_WEBGL));
  }
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return {software: /swiftshader|llvmpipe|softpipe|lavapipe|software|basic render/i.test(name)};
}
