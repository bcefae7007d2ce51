import react from '@vitejs/plugin-react';
import path from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { makeFonts } from './fonts.mts';

/** Fonts that the first view has in one language only; the server leaves out those of another. */
const ONE_LANGUAGE = [
  ['russian', 'ru'],
  ['signs', 'ru'],
  ['latin', 'en'],
] as const;

const STYLE_SHEET = /<link rel="stylesheet"[^>]* href="\/([^"]+)"[^>]*>/g;

/** Loads the fonts of the first view ahead. */
const preloadFonts: Plugin = {
  name: 'preload-fonts',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((name) => name.endsWith('.woff2') && !name.includes('-ext'))
        .map((name) => ({
          tag: 'link',
          injectTo: 'head',
          attrs: {
            rel: 'preload',
            href: `/${name}`,
            as: 'font',
            type: 'font/woff2',
            crossorigin: '',
            // The scripts come first: until a font is there, its fallback has the same measures.
            fetchpriority: 'low',
            ...languageOf(name),
          },
        })),
  },
};

function languageOf(font: string): { 'data-language'?: string } {
  const [, language] = ONE_LANGUAGE.find(([name]) => font.includes(name)) ?? [];
  return language === undefined ? {} : { 'data-language': language };
}

/**
 * Writes the styles of the candidate's page into its document: on a slow connection a style sheet of its
 * own would arrive together with the scripts, and nothing is painted without it. The other pages share
 * theirs.
 */
const inlineStyles: Plugin = {
  name: 'inline-styles',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {}, path: page }) =>
      page.endsWith('/index.html')
        ? html.replace(STYLE_SHEET, (_link, name: string) => {
            const asset = bundle[name];
            if (asset?.type !== 'asset') throw new Error(`the page has no style sheet ${name}`);
            delete bundle[name];
            return `<style>${String(asset.source).trim()}</style>`;
          })
        : html,
  },
};

/** For `--ssr`: what the server renders itself, in one file. */
const renderer = {
  ssr: { noExternal: true as const },
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    outDir: '../dist/web-renderer',
    emptyOutDir: true,
    copyPublicDir: false,
    rollupOptions: {
      output: {
        format: 'cjs' as const,
        entryFileNames: 'server.cjs',
        codeSplitting: false,
      },
    },
  },
};

/**
 * Documents and what they load, built to dist/web and served by the app: only /assets/ and the documents
 * exist there, and the content security policy allows no inline script, so nothing is inlined here.
 */
function documents(...names: readonly string[]) {
  return {
    outDir: '../dist/web',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: names.map((name) => path.join(import.meta.dirname, name)) },
  };
}

const pages = {
  build: {
    ...documents('index.html', 'front.html', 'handbook.html'),
    emptyOutDir: true,
  },
};

/**
 * For `--mode console`: the team's console, built after the pages and beside them, so that a candidate's
 * page loads no file that is cut out of it only because the console uses it too.
 */
const teamConsole = {
  build: { ...documents('team.html'), emptyOutDir: false, copyPublicDir: false },
};

export default defineConfig(async ({ isSsrBuild, mode }) => {
  await makeFonts();
  return {
    root: import.meta.dirname,
    plugins: [react(), preloadFonts, inlineStyles],
    ...(isSsrBuild ? renderer : mode === 'console' ? teamConsole : pages),
  };
});
