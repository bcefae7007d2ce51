/**
 * A text and its entities as elements. Nothing that a bot sends is ever read as HTML: every
 * character goes into a text node, and only the elements named here are made.
 */
const ELEMENTS = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strikethrough: 's',
  spoiler: 'span',
  blockquote: 'blockquote',
  expandable_blockquote: 'blockquote',
  code: 'code',
  pre: 'pre',
  text_link: 'a',
  bot_command: 'button',
};
const SAFE_LINK = /^(https?|tg|mailto):/i;

/** @returns a fragment; `onCommand` is called with a command that is pressed. */
export function richText(text, entities, onCommand) {
  const sorted = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  const whole = document.createDocumentFragment();
  fill(whole, { text, entities: sorted, from: 0, to: text.length, onCommand });
  return whole;
}

function fill(parent, { text, entities, from, to, onCommand }) {
  let at = from;
  let index = 0;
  while (index < entities.length) {
    const entity = entities[index];
    index += 1;
    const begin = Math.max(at, entity.offset);
    const end = Math.min(to, entity.offset + entity.length);
    if (end <= begin) continue;
    addPlain(parent, text.slice(at, begin));
    const inner = [];
    while (index < entities.length && entities[index].offset < end) inner.push(entities[index++]);
    const element = elementOf(entity, text.slice(begin, end), onCommand);
    fill(element, { text, entities: inner, from: begin, to: end, onCommand });
    parent.append(element);
    // The line break after a block ends the block; it is no empty line.
    const endsLine = /^(PRE|BLOCKQUOTE)$/.test(element.nodeName) && text[end] === '\n';
    at = endsLine ? end + 1 : end;
  }
  addPlain(parent, text.slice(at, to));
}

function elementOf(entity, inside, onCommand) {
  const element = document.createElement(ELEMENTS[entity.type] ?? 'span');
  if (entity.type === 'text_link') makeLink(element, entity.url);
  if (entity.type === 'spoiler') makeSpoiler(element);
  if (entity.type === 'bot_command') {
    element.type = 'button';
    element.className = 'command';
    element.addEventListener('click', () => onCommand(inside));
  }
  return element;
}

function makeLink(element, url) {
  if (!SAFE_LINK.test(url)) return;
  element.href = url;
  element.target = '_blank';
  element.rel = 'noopener noreferrer';
}

function makeSpoiler(element) {
  element.className = 'spoiler';
  element.tabIndex = 0;
  element.addEventListener('click', () => element.classList.add('shown'));
}

/** Addresses in plain text are links, as in Telegram's clients. */
function addPlain(parent, text) {
  let at = 0;
  for (const found of parent.nodeName === 'A'
    ? []
    : text.matchAll(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/g)) {
    parent.append(text.slice(at, found.index));
    const link = document.createElement('a');
    makeLink(link, found[0]);
    link.append(found[0]);
    parent.append(link);
    at = found.index + found[0].length;
  }
  parent.append(text.slice(at));
}
