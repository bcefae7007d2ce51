import react from '@vitejs/plugin-react';
import path from 'node:path';
import { defineConfig } from 'vite';

// The candidate page and the recruiter's. Built to dist/web and served by the app: only /assets/ and
// the two documents exist there, and the content security policy allows no inline script, so nothing is inlined here.
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: ['index.html', 'console.html'].map((name) => path.join(import.meta.dirname, name)),
    },
  },
});
