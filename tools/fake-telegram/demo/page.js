/** The page of `npm run demo:telegram`: shows the server’s view, sends a person’s actions. */
/* global URLSearchParams, history, ResizeObserver */
import { richText } from './rich-text.js';

const WORDS = {
  en: {
    start: 'Start',
    write: 'Message',
    send: 'Send',
    attach: 'Send a file',
    typing: 'typing…',
    bot: 'bot',
    block: 'Block',
    unblock: 'Unblock',
    edit: 'Edit',
    edited: 'edited',
    lost: 'no connection to the demo',
    empty: 'Press Start to begin.',
    editing: 'Editing: Esc cancels',
    aboutTitle: 'Colloquy on Telegram',
    about:
      'An interview by Colloquy’s bot, on a Telegram that runs on this machine. No real account is involved.',
    watch: 'Watch',
    play: 'Play yourself',
    played: 'Candidate',
    playedToo: 'The interviewer’s replies are played by a program.',
    hintPlay: 'Press Start, agree, and answer as a candidate would. Several messages are fine.',
    states: { waiting: 'not begun', playing: 'under way', over: 'over' },
    watching: (label) => `You are watching ${label}, who is played by a program.`,
    over: (label) => `The interview of ${label} is over.`,
  },
  ru: {
    start: 'Начать',
    write: 'Сообщение',
    send: 'Отправить',
    attach: 'Отправить файл',
    typing: 'печатает…',
    bot: 'бот',
    block: 'Заблокировать',
    unblock: 'Разблокировать',
    edit: 'Изменить',
    edited: 'изменено',
    lost: 'нет связи с демо',
    empty: 'Нажмите «Начать».',
    editing: 'Правка: Esc — отмена',
    aboutTitle: 'Colloquy в Telegram',
    about:
      'Интервью с ботом Colloquy в Telegram, который работает на этом компьютере. Настоящие аккаунты не участвуют.',
    watch: 'Смотреть',
    play: 'Пройти самому',
    played: 'Кандидат',
    playedToo: 'За интервьюера отвечает программа.',
    hintPlay:
      'Нажмите «Начать», дайте согласие и отвечайте, как отвечал бы кандидат. Можно несколькими сообщениями.',
    states: { waiting: 'не начато', playing: 'идёт', over: 'закончено' },
    watching: (label) => `Вы смотрите интервью: ${label}. За кандидата отвечает программа.`,
    over: (label) => `Интервью закончено: ${label}.`,
  },
};

const asked = new URLSearchParams(location.search);
const lang = (asked.get('lang') ?? navigator.language).startsWith('ru') ? 'ru' : 'en';
const words = WORDS[lang];
const person = new URLSearchParams({
  user: asked.get('user') ?? '1',
  first_name: asked.get('name') ?? (lang === 'ru' ? 'Анна' : 'Ada'),
  lang,
});
const at = (id) => document.getElementById(id);
const log = at('log');
const text = at('text');
let editing = null;
let noticesShown = null;
let noticeTimer = null;
/** Which played candidate is watched; null: the person on the page writes. */
let watch =
  asked.has('user') || asked.has('start') || asked.has('play') ? null : (asked.get('watch') ?? '0');
let events = null;

document.documentElement.lang = lang;
at('start').textContent = words.start;
at('send').setAttribute('aria-label', words.send);
at('attach').setAttribute('aria-label', words.attach);
text.setAttribute('aria-label', words.write);
text.placeholder = words.write;
log.setAttribute('aria-label', words.write);
at('choice').setAttribute('aria-label', words.aboutTitle);
at('about-title').textContent = words.aboutTitle;
at('about').textContent = words.about;
at('watch').textContent = words.watch;
at('play').textContent = words.play;
at('played-label').firstElementChild.textContent = words.played;

async function act(name, body = '', more = {}) {
  const query = new URLSearchParams(person);
  query.set('act', name);
  for (const [key, value] of Object.entries(more)) query.set(key, value);
  const headers = name === 'file' ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`/do?${query}`, { method: 'POST', headers, body });
  if (!response.ok) showNotice(await response.text());
}

function showNotice(words) {
  at('notice').textContent = words;
  at('notice').hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => {
    at('notice').hidden = true;
  }, 4000);
}

function make(name, className, ...children) {
  const element = document.createElement(name);
  element.className = className;
  element.append(...children);
  return element;
}

function button(label, className, onClick) {
  const element = make('button', className, label);
  element.type = 'button';
  element.addEventListener('click', onClick);
  return element;
}

function fileOf({ kind, id, name }) {
  const source = `/file?${new URLSearchParams({ id })}`;
  if (kind === 'photo') {
    const image = make('img', 'photo');
    image.src = source;
    image.alt = name;
    return image;
  }
  if (kind === 'voice' || kind === 'audio') {
    const audio = make('audio', 'audio');
    audio.src = source;
    audio.controls = true;
    return audio;
  }
  if (kind === 'sticker') return make('div', 'sticker', name);
  const link = make('a', 'file', `↓ ${name}`);
  link.href = source;
  return link;
}

function buttonsOf({ id, buttons }) {
  const rows = make('div', 'buttons');
  for (const row of buttons) {
    const line = make('div', 'row');
    for (const { text: label, url } of row) {
      const press = () =>
        url === null
          ? act('press', label, { message: id })
          : window.open(url, '_blank', 'noopener');
      line.append(button(label, 'press', press));
    }
    rows.append(line);
  }
  return rows;
}

function timeOf(date) {
  return new Date(date * 1000).toLocaleTimeString(lang, { hour: '2-digit', minute: '2-digit' });
}

function bubbleOf(message) {
  const bubble = make('div', 'bubble');
  if (message.answers !== null) bubble.append(make('div', 'answers', message.answers));
  if (message.file !== null) bubble.append(fileOf(message.file));
  const said = make(
    'div',
    'said',
    richText(message.text, message.entities, (c) => act('write', c)),
  );
  said.dir = 'auto';
  bubble.append(said);
  const meta = make(
    'div',
    'meta',
    message.isEdited ? `${words.edited} ` : '',
    timeOf(message.date),
  );
  if (message.canEdit && watch === null) meta.append(button('✎', 'edit', () => startEdit(message)));
  meta.querySelector('.edit')?.setAttribute('aria-label', words.edit);
  bubble.append(meta);
  const line = make('article', message.fromBot ? 'line bot' : 'line own', bubble);
  if (message.buttons.length > 0) line.append(buttonsOf(message));
  return line;
}

const shown = new Map();

/** Only changes are rendered again, so that a screen reader reads only those. */
function showMessages(messages) {
  const ids = new Set(messages.map(({ id }) => id));
  for (const [id, { element }] of shown) {
    if (ids.has(id)) continue;
    element.remove();
    shown.delete(id);
  }
  for (const message of messages) {
    const source = JSON.stringify(message);
    const before = shown.get(message.id);
    if (before?.source === source) continue;
    const element = bubbleOf(message);
    if (before === undefined) log.append(element);
    else before.element.replaceWith(element);
    shown.set(message.id, { source, element });
  }
}

let draftLine = null;

function showDraft(draft) {
  draftLine?.remove();
  draftLine = null;
  if (draft === null) return;
  const said = make(
    'div',
    'said',
    richText(draft.text, draft.entities, () => undefined),
  );
  draftLine = make('article', 'line bot', make('div', 'bubble draft', said));
  log.append(draftLine);
}

function showKeys(place, rows, onPress) {
  place.replaceChildren(
    ...rows.map((row) =>
      make('div', 'row', ...row.map((label) => button(label, 'key', () => onPress(label)))),
    ),
  );
  place.hidden = rows.length === 0;
}

function showChoice({ watched, played, areRepliesPlayed }) {
  const isWatching = watched !== null;
  at('choice').hidden = played.length === 0;
  at('watch').hidden = played.length === 0;
  at('watch').setAttribute('aria-pressed', String(isWatching));
  at('play').setAttribute('aria-pressed', String(!isWatching));
  at('hint').textContent = [
    isWatching ? '' : words.hintPlay,
    areRepliesPlayed ? words.playedToo : '',
  ]
    .join(' ')
    .trim();
  at('played-label').hidden = !isWatching;
  const options = played.map(({ label, state }) => `${label}: ${words.states[state]}`);
  const select = at('played');
  while (select.options.length < options.length) {
    const option = make('option', '');
    option.value = String(select.options.length);
    select.append(option);
  }
  options.forEach((label, place) => {
    if (select.options[place].textContent !== label) select.options[place].textContent = label;
  });
  if (isWatching) select.value = String(watched);
  at('watching').hidden = !isWatching;
  if (isWatching) {
    const { label, state } = played[watched];
    at('watching').textContent = state === 'over' ? words.over(label) : words.watching(label);
  }
}

let isAtEnd = true;

function show({ chat: view, ...choice }) {
  const isWatching = choice.watched !== null;
  showChoice(choice);
  at('bot-name').textContent = view.bot.name;
  document.title = `${view.bot.name} · Telegram`;
  at('status').textContent =
    view.action === null ? `@${view.bot.username} · ${words.bot}` : words.typing;
  at('status').classList.toggle('busy', view.action !== null);
  log.querySelector('.empty')?.remove();
  showMessages(view.messages);
  if (view.messages.length === 0 && !isWatching) log.append(make('p', 'empty', words.empty));
  showDraft(view.draft);
  showKeys(at('keyboard'), isWatching ? [] : view.keyboard, (label) => act('press', label));
  const commands = isWatching ? [] : view.commands.map(({ command }) => `/${command}`);
  showKeys(at('commands'), commands.length === 0 ? [] : [commands], (label) => act('write', label));
  at('start').hidden = isWatching || view.messages.length > 0;
  at('composer').hidden = isWatching || view.messages.length === 0 || view.isBlocked;
  at('block').hidden = isWatching;
  at('block').textContent = view.isBlocked ? words.unblock : words.block;
  at('block').onclick = () => act(view.isBlocked ? 'unblock' : 'block');
  for (const button of log.querySelectorAll('.press, .command')) button.disabled = isWatching;
  if (noticesShown !== null && view.notices.length > noticesShown) showNotice(view.notices.at(-1));
  noticesShown = view.notices.length;
  stayAtEnd();
}

/** Unless the reader has scrolled up. */
function stayAtEnd() {
  if (isAtEnd) log.scrollTop = log.scrollHeight;
}

/** Follows the chat of whoever is watched, or one's own. */
function follow() {
  events?.close();
  isAtEnd = true;
  log.replaceChildren();
  shown.clear();
  draftLine = null;
  noticesShown = null;
  const query = new URLSearchParams(person);
  if (watch !== null) query.set('watch', watch);
  events = new EventSource(`/events?${query}`);
  events.addEventListener('message', ({ data }) => show(JSON.parse(data)));
  events.addEventListener('error', () => {
    at('status').textContent = words.lost;
  });
}

function choose(next) {
  watch = next;
  const query = new URLSearchParams(location.search);
  for (const name of ['watch', 'play']) query.delete(name);
  query.set(next === null ? 'play' : 'watch', next ?? '1');
  history.replaceState(null, '', `?${query}`);
  follow();
}

function startEdit({ id, text: said }) {
  editing = id;
  text.value = said;
  showNotice(words.editing);
  grow();
  text.focus();
}

function grow() {
  text.rows = Math.min(6, text.value.split('\n').length + Math.floor(text.value.length / 40));
}

function send() {
  const said = text.value.trim();
  if (said === '') return;
  if (editing === null) act('write', said);
  else act('edit', said, { message: editing });
  editing = null;
  text.value = '';
  grow();
}

text.addEventListener('input', grow);
text.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    editing = null;
    text.value = '';
  }
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  send();
});
at('composer').addEventListener('submit', (event) => {
  event.preventDefault();
  send();
});
at('start').addEventListener('click', () => act('start', asked.get('start') ?? ''));
at('attach').addEventListener('change', async () => {
  const [file] = at('attach').files;
  if (file !== undefined) await act('file', file, { name: file.name, type: file.type });
  at('attach').value = '';
});

log.addEventListener('scroll', () => {
  isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
});
new ResizeObserver(stayAtEnd).observe(log);
at('watch').addEventListener('click', () => choose(at('played').value || '0'));
at('play').addEventListener('click', () => choose(null));
at('played').addEventListener('change', () => choose(at('played').value));
follow();
