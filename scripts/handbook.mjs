/**
 * Makes the handbook, dist/handbook, from the documents: one page for each, the contents by audience,
 * an index, and a table of all alerts. Links between documents lead to pages; a file of the
 * project that a document links to is copied beside them. There is no script in it.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Marked } from 'marked';
import { parse as parseYaml } from 'yaml';
import { ROOT, documentFiles, outlineOf, plainText, readDocument, slugOf } from './documents.mjs';

/** By audience. A document that is not here stands under "More". */
const CONTENTS = [
  ['Start', ['docs/start.md', 'README.md', 'docs/configuration.md', 'docs/command-line.md']],
  ['Candidates', ['docs/privacy.md', 'docs/privacy.ru.md']],
  [
    'Recruiters',
    [
      'docs/recruiters.md',
      'docs/vacancy-file.md',
      'docs/conversation.md',
      'docs/scoring.md',
      'docs/what-it-decides.md',
      'docs/notion.md',
    ],
  ],
  [
    'Operators',
    [
      'docs/deploy.md',
      'docs/upgrade.md',
      'docs/operations.md',
      'docs/model-servers.md',
      'alerts',
      'docs/runbook.md',
      'docs/monitoring.md',
      'docs/metrics.md',
      'docs/probes.md',
      'docs/backup.md',
      'docs/scaling.md',
      'docs/security.md',
      'docs/retention.md',
      'docs/telegram.md',
    ],
  ],
  [
    'API',
    [
      'docs/api.md',
      'docs/integrations.md',
      'docs/web-client.md',
      'docs/errors.md',
      'docs/adding-a-channel.md',
      'docs/adding-a-notion-property.md',
    ],
  ],
  [
    'Architecture',
    [
      'ARCHITECTURE.md',
      'docs/where-to-find.md',
      'docs/rooms.md',
      'docs/words.md',
      'docs/data.md',
      'docs/testing.md',
      'docs/how-we-prove-it.md',
      'docs/measurements.md',
    ],
  ],
  ['Decisions', ['decisions']],
];
const MADE = { alerts: 'Every alert', decisions: 'Decisions' };
const ELSEWHERE = /^(https?:|mailto:|\/)/;

const escape = (text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** The address of a document's page below /handbook/. */
function pageOf(file) {
  return `${file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()}.html`;
}

/** A link of a document as one of its page; null: it leads to a folder. A linked file is added to `linked`. */
function addressOf(href, { file, known, linked }) {
  if (ELSEWHERE.test(href) || href.startsWith('#')) return href;
  const [target, anchor] = href.split('#');
  const place = path.posix.normalize(path.posix.join(path.posix.dirname(file), target));
  if (place === 'docs/adr') return '/handbook/decisions.html';
  if (place.startsWith('docs/pictures/')) return `/handbook/${place.slice('docs/'.length)}`;
  if (!known.has(place)) {
    if (!statSync(path.join(ROOT, place), { throwIfNoEntry: false })?.isFile()) return null;
    linked.add(place);
    return `/handbook/files/${place}.txt`;
  }
  return `/handbook/${pageOf(place)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The lines of a `way` block, `room | file | function | what it does`, as a picture. */
function wayOf(text) {
  const steps = text.split('\n').map((line) => {
    const [room, file, name, what] = line
      .replace(/^= /, '')
      .split('|')
      .map((part) => part.trim());
    const where = [file, name]
      .filter((part) => part !== '')
      .map((part) => `<code>${escape(part)}</code>`);
    return (
      `<li class="${line.startsWith('= ') ? 'commit' : 'step'}"><span class="room">${escape(room)}</span>` +
      `<span>${where.join(' · ')}</span><span>${escape(what).replace(/`([^`]*)`/g, '<code>$1</code>')}</span></li>`
    );
  });
  return `<ol class="way">${steps.join('')}</ol>`;
}

/** The HTML of a document. */
function render(file, known, linked) {
  const taken = new Map();
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth }) {
        const id = slugOf(plainText(tokens), taken);
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = addressOf(href, { file, known, linked });
        return address === null ? text : `<a href="${escape(address)}">${text}</a>`;
      },
      image({ href, text }) {
        const address = addressOf(href, { file, known, linked }) ?? '';
        return `<img src="${escape(address)}" alt="${escape(text)}" loading="lazy">`;
      },
      code({ text, lang = '' }) {
        if (lang === 'way') return wayOf(text);
        return `<pre tabindex="0"><code>${escape(text)}</code></pre>\n`;
      },
      table(token) {
        const cells = (row, tag) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`);
        const head = `<thead><tr>${cells(token.header, 'th').join('')}</tr></thead>`;
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td').join('')}</tr>`);
        return `<div class="table" tabindex="0"><table>${head}<tbody>${rows.join('')}</tbody></table></div>\n`;
      },
      // Comments for formatters; the documents have no other HTML.
      html: ({ text }) => (text.startsWith('<!--') ? '' : escape(text)),
    },
  });
  return marked.parse(readDocument(file));
}

function firstSentence(file) {
  const [paragraph = ''] =
    /^(?!#|\||!|<|```).+(\n.+)*/m.exec(readDocument(file).replace(/^# .*\n/, '')) ?? [];
  const plain = paragraph
    .replaceAll('\n', ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*_]/g, '');
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}

/** Every alert with its condition and its entry in the runbook, from the rules themselves. */
function alertsPage() {
  const { groups } = parseYaml(
    readFileSync(path.join(ROOT, 'deploy/monitoring/alerts.yml'), 'utf8'),
  );
  const rows = groups
    .flatMap(({ rules }) => rules)
    .filter(({ alert }) => alert !== undefined)
    .map(
      ({ alert, expr, for: lasting = '0m', labels, annotations }) =>
        `<tr id="${alert.toLowerCase()}"><td><a href="/handbook/runbook.html#${alert.toLowerCase()}">${alert}</a></td>` +
        `<td class="${escape(labels.severity)}">${escape(labels.severity)}</td><td class="meaning">${escape(annotations.summary)}</td>` +
        `<td>${escape(lasting)}</td><td class="condition"><code>${escape(expr.trim())}</code></td></tr>`,
    );
  return `<h1>Every alert</h1>
<p>From <code>deploy/monitoring/alerts.yml</code>. A <em>page</em> wakes somebody, because candidates notice it now; a
<em>ticket</em> is looked at during the day. The name leads to what to do.</p>
<div class="table" tabindex="0"><table><thead><tr><th>Alert</th><th>Severity</th><th>Meaning</th><th>Lasting</th><th>Condition</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`;
}

/** Writes the handbook into `directory`, with `template`, the built web/handbook.html. */
export function writeHandbook(directory, template) {
  const files = documentFiles();
  const known = new Set(files);
  const decisions = files.filter((file) => file.startsWith('docs/adr/'));
  const listed = new Set([...CONTENTS.flatMap(([, entries]) => entries), ...decisions]);
  const more = files.filter((file) => !listed.has(file));
  const contents = [...CONTENTS, ['More', more]].map(([audience, entries]) => ({
    audience,
    entries: entries.map((entry) => ({
      page: entry in MADE ? `${entry}.html` : pageOf(entry),
      title: MADE[entry] ?? titleOf(entry),
      file: entry in MADE ? null : entry,
    })),
  }));
  rmSync(directory, { recursive: true, force: true });
  const write = (page, title, html) => {
    const place = path.join(directory, page);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, filled(template, { title, html, contents, page }));
  };
  const linked = new Set();
  for (const file of files) write(pageOf(file), titleOf(file), render(file, known, linked));
  // As plain text, so that a browser shows every one of them.
  for (const file of linked) {
    const place = path.join(directory, 'files', `${file}.txt`);
    mkdirSync(path.dirname(place), { recursive: true });
    cpSync(path.join(ROOT, file), place);
  }
  write('alerts.html', 'Every alert', alertsPage());
  write('decisions.html', 'Decisions', decisionsPage(decisions));
  write('index.html', 'Handbook', indexPage(contents));
  const pictures = path.join(ROOT, 'docs/pictures');
  if (existsSync(pictures)) cpSync(pictures, path.join(directory, 'pictures'), { recursive: true });
}

function titleOf(file) {
  if (file === 'README.md') return 'What Colloquy is';
  return outlineOf(readDocument(file)).headings[0]?.text ?? file;
}

function decisionsPage(decisions) {
  const items = decisions.map(
    (file) => `<li><a href="/handbook/${pageOf(file)}">${escape(titleOf(file))}</a></li>`,
  );
  return `<h1>Decisions</h1><p>What was decided, why, and what follows from it.</p><ul>${items.join('\n')}</ul>`;
}

function indexPage(contents) {
  const sections = contents
    .filter(({ entries }) => entries.length > 0)
    .map(({ audience, entries }) => {
      const cards = entries.map(({ page, title, file }) => {
        const about = file === null ? '' : `<span>${escape(firstSentence(file))}</span>`;
        return `<li><a href="/handbook/${page}"><strong>${escape(title)}</strong>${about}</a></li>`;
      });
      return `<h2>${audience}</h2><ul class="cards">${cards.join('')}</ul>`;
    });
  return `<h1>Handbook</h1><p class="lead">How Colloquy is used, run and built. It belongs to the version that serves it.</p>${sections.join('\n')}`;
}

function filled(template, { title, html, contents, page }) {
  const lists = contents
    .filter(({ entries }) => entries.length > 0)
    .map(({ audience, entries }) => {
      const links = entries.map(({ page: of, title: name }) => {
        const current = of === page ? ' aria-current="page"' : '';
        return `<a href="/handbook/${of}"${current}>${escape(name)}</a>`;
      });
      return `<h2>${audience}</h2>${links.join('')}`;
    });
  const body = `<div class="handbook"><header class="handbook-header">
<a class="wordmark" href="/handbook/">Colloquy · Handbook</a><a class="to-contents" href="#contents">Contents</a>
</header><div class="handbook-body"><main class="document"${page.endsWith('.ru.html') ? ' lang="ru"' : ''}>${html}</main>
<nav class="contents" id="contents" aria-label="Contents">${lists.join('\n')}</nav></div></div>`;
  // Functions, because `$` in a replacement string has a meaning of its own.
  return template
    .replace(/\s*<link[^>]* data-language="ru"[^>]*>/g, '')
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escape(title)} · Colloquy</title>`)
    .replace('<div id="root"></div>', () => body);
}
