/**
 * The documents of the project, as the handbook, the check of links and the check of commands read
 * them: README, ARCHITECTURE and everything in docs/.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FENCE = /^(\s*)(`{3,})(.*)$/;
/** A link of GitHub's own to a heading drops these. */
const NOT_IN_SLUGS = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu;

/** Their paths from the root, in a fixed order. */
export function documentFiles() {
  const inDocs = readdirSync(path.join(ROOT, 'docs'), { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll(path.sep, '/')}`)
    .sort();
  return ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', ...inDocs];
}

export function readDocument(file) {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** The name of a heading in an address, as GitHub makes it; `taken` counts those of the document. */
export function slugOf(heading, taken) {
  const plain = heading
    .replace(/<[^>]*>/g, '')
    .toLowerCase()
    .trim();
  const slug = plain.replace(NOT_IN_SLUGS, '').replaceAll(' ', '-');
  const count = taken.get(slug) ?? 0;
  taken.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

/** A heading's words without the marks of Markdown. */
export function plainText(tokens) {
  return tokens
    .map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : token.text))
    .join('');
}

/** `headings`: `{depth, text, slug}`; `links`: `{href, line}`, pictures among them. */
export function outlineOf(text) {
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(text);
  const [headings, links, taken] = [[], [], new Map()];
  let from = 0;
  marked.walkTokens(tokens, (token) => {
    if (token.type === 'heading') {
      const words = plainText(token.tokens);
      headings.push({ depth: token.depth, text: words, slug: slugOf(words, taken) });
    }
    if (token.type !== 'link' && token.type !== 'image') return;
    const found = text.indexOf(`(${token.href}`, from);
    const at = found === -1 ? text.indexOf(token.href) : found;
    if (found !== -1) from = found + 1;
    links.push({ href: token.href, line: text.slice(0, Math.max(at, 0)).split('\n').length });
  });
  return { headings, links };
}

/** Blocks between ``` lines: `{info, text, line}`, without the indentation of a list around them. */
export function fencedBlocks(text) {
  const blocks = [];
  let open = null;
  text.split('\n').forEach((line, index) => {
    const [, indent, fence, info] = FENCE.exec(line) ?? [];
    if (open === null) {
      if (fence !== undefined)
        open = { indent, fence, info: info.trim(), lines: [], line: index + 2 };
      return;
    }
    if (fence === open.fence && info === '') {
      blocks.push({ info: open.info, text: open.lines.join('\n'), line: open.line });
      open = null;
      return;
    }
    open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
  });
  return blocks;
}
