import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The candidate page. Built to dist/web and served by the app: only /assets/ and index.html exist
// there, and the content security policy allows no inline script, so nothing is inlined here.
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
