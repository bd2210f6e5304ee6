import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  // Vite would move the package's modules away from the WebAssembly beside them.
  optimizeDeps: { exclude: ['lanthorn'] },
});
