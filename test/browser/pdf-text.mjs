/**
 * The text of a PDF that Chromium has printed, page by page. It reads what Chromium writes and no more: objects one by
 * one, streams of Flate, fonts with a ToUnicode map, glyphs as hex. Runs of text stand beside each other as they are
 * drawn, so compare them without white space.
 */
import zlib from 'node:zlib';

/** Returns a text for each page. */
export function pdfPages(bytes) {
  const objects = objectsOf(bytes.toString('latin1'));
  const root = [...objects.values()].find(({ head }) => /\/Type \/Catalog\b/.test(head));
  const pages = [];
  const walk = (id) => {
    const { head } = objects.get(id);
    const [, kids] = /\/Kids \[([^\]]*)\]/.exec(head) ?? [];
    if (kids === undefined) pages.push(head);
    else for (const [, kid] of kids.matchAll(/(\d+) 0 R/g)) walk(kid);
  };
  walk(/\/Pages (\d+) 0 R/.exec(root.head)[1]);
  return pages.map((head) => textOf(objects, head));
}

/** By number: what stands before a stream, and the stream. */
function objectsOf(file) {
  const objects = new Map();
  const begin = /(\d+) 0 obj\b/g;
  for (let match = begin.exec(file); match !== null; match = begin.exec(file)) {
    const end = file.indexOf('endobj', match.index);
    const stream = file.indexOf('stream', match.index);
    if (stream < 0 || stream > end) {
      objects.set(match[1], { head: file.slice(match.index, end), stream: '' });
      begin.lastIndex = end;
      continue;
    }
    const head = file.slice(match.index, stream);
    const start = stream + 'stream'.length + (file[stream + 6] === '\r' ? 2 : 1);
    const length = Number(/\/Length (\d+)/.exec(head)[1]);
    const content = Buffer.from(file.slice(start, start + length), 'latin1');
    const isPacked = head.includes('/FlateDecode');
    const packed = () => (isPacked ? zlib.inflateSync(content) : content).toString('latin1');
    objects.set(match[1], { head, packed });
    begin.lastIndex = start + length;
  }
  return objects;
}

function textOf(objects, head) {
  const resources = /\/Resources (\d+) 0 R/.exec(head);
  const place = resources === null ? head : objects.get(resources[1]).head;
  const fonts = new Map();
  for (const [, name, id] of place.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
    fonts.set(name, fontOf(objects, objects.get(id).head));
  }
  const contents = /\/Contents (?:\[)?((?:\d+ 0 R ?)+)/.exec(head)[1];
  const drawn = [...contents.matchAll(/(\d+) 0 R/g)].map(([, id]) => objects.get(id).packed());
  let font = null;
  let text = '';
  for (const [, name, glyphs] of drawn
    .join('\n')
    .matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>/g)) {
    if (name !== undefined) font = fonts.get(name);
    else if (font !== undefined && font !== null) text += font(glyphs);
  }
  return text;
}

/** What glyphs of the font stand for, which are given as hex. */
function fontOf(objects, head) {
  const digits = /\/Subtype \/Type0\b/.test(head) ? 4 : 2;
  const map = new Map();
  const id = /\/ToUnicode (\d+) 0 R/.exec(head)?.[1];
  const table = id === undefined ? '' : objects.get(id).packed();
  const letters = (hex) => Buffer.from(hex, 'hex').swap16().toString('utf16le');
  for (const [, part] of table.matchAll(/beginbfchar([\s\S]*?)endbfchar/g)) {
    for (const [, glyph, hex] of part.matchAll(/<(\w+)>\s*<(\w+)>/g)) {
      map.set(parseInt(glyph, 16), letters(hex));
    }
  }
  for (const [, part] of table.matchAll(/beginbfrange([\s\S]*?)endbfrange/g)) {
    for (const [, from, to, hex] of part.matchAll(/<(\w+)>\s*<(\w+)>\s*<(\w+)>/g)) {
      const first = parseInt(from, 16);
      for (let glyph = first; glyph <= parseInt(to, 16); glyph += 1) {
        const code = (parseInt(hex, 16) + glyph - first).toString(16).padStart(4, '0');
        map.set(glyph, letters(code));
      }
    }
  }
  return (glyphs) =>
    (glyphs.match(new RegExp(`.{${digits}}`, 'g')) ?? [])
      .map((glyph) => map.get(parseInt(glyph, 16)) ?? '')
      .join('');
}
