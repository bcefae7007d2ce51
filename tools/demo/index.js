/** The first page of `npm run demo`: links, the candidates, and what needs a person. */
const LINKS = {
  'candidate-en': ['Candidate page', 'Be interviewed in English'],
  'candidate-ru': ['Страница кандидата', 'Пройти интервью по-русски'],
  telegram: ['Telegram', 'Watch an interview in the bot, or be a candidate'],
  notion: ['Notion boards', 'Edit tasks, and see them ranked within the limits'],
  recruiters: ['Recruiters’ page', 'An interview to read, with the token below'],
  attention: ['Attention list', 'What needs a person'],
  metrics: ['Metrics', 'What Prometheus reads'],
  docs: ['API', 'The HTTP API and its description'],
};
const STATES = {
  waiting: ['not here yet', ''],
  playing: ['', ''],
  finished: ['finished', 'good'],
  'with a person': ['asked for a person', 'wait'],
  stopped: ['stopped', ''],
  silent: ['silent', ''],
  declined: ['declined', ''],
  lost: ['lost', 'risk'],
};
const at = (id) => document.getElementById(id);
let noticeTimer = null;

function make(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}

function link(className, address, ...content) {
  const element = make('a', className, ...content);
  element.href = address;
  return element;
}

function showNotice(text) {
  at('notice').textContent = text;
  at('notice').hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => {
    at('notice').hidden = true;
  }, 4000);
}

/** Shows a list again only when it has changed, so that the focus stays where it was. */
function showList(list, items, rowOf) {
  const source = JSON.stringify(items);
  if (list.dataset.source === source) return;
  list.dataset.source = source;
  const focused = list.contains(document.activeElement) ? document.activeElement.href : null;
  list.replaceChildren(...items.map((item) => make('li', '', ...rowOf(item))));
  if (focused === null) return;
  [...list.querySelectorAll('a')].find(({ href }) => href === focused)?.focus();
}

function linkRow({ key, address }) {
  const [name, about] = LINKS[key];
  const element = link('card link', address, make('b', '', name), make('span', 'soft', about));
  if (/^Стр/.test(name)) element.lang = 'ru';
  return [element];
}

function memberRow({ name, language, channel, state, progress, transcript }) {
  const who = transcript === null ? make('span', 'name', name) : link('name', transcript, name);
  who.lang = language;
  const [words, tone] = STATES[state];
  const { question, of } = progress;
  const shown =
    state === 'playing'
      ? make('span', 'pill playing', `question ${Math.min(question + 1, of)} of ${of}`)
      : make('span', `pill ${tone}`, words);
  const about = `${channel === 'web' ? 'page' : 'Telegram'} · ${language === 'ru' ? 'Russian' : 'English'}`;
  return [who, make('span', 'soft about', about), shown];
}

function attentionRow({ kind, reason, who, atMs, transcript }) {
  const name = who ?? 'Somebody';
  const time = new Date(atMs).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return [
    transcript === null ? make('span', 'name', name) : link('name', transcript, name),
    make('span', 'soft about', `${kind.replaceAll('_', ' ')}: ${reason}`),
    make('span', 'soft', time),
  ];
}

function countsOf(members) {
  const count = (...states) => members.filter(({ state }) => states.includes(state)).length;
  return [
    `${count('playing')} being interviewed`,
    `${count('finished')} finished`,
    `${count('with a person')} with a person`,
    `${count('stopped', 'declined')} left`,
    `${count('silent')} silent`,
    `${count('waiting')} to come`,
  ].join(' · ');
}

function show({ links, token, members, attention }) {
  const recent = members.findLast(
    ({ state, transcript }) => state === 'finished' && transcript !== null,
  );
  const shown = links.map((one) =>
    one.key === 'recruiters' ? { ...one, address: recent?.transcript ?? one.address } : one,
  );
  const index = shown.findIndex(({ key }) => key === 'metrics');
  showList(
    at('links'),
    shown.toSpliced(index, 0, { key: 'attention', address: '#attention-list' }),
    linkRow,
  );
  at('token').textContent = token;
  const counts = countsOf(members);
  if (at('counts').textContent !== counts) at('counts').textContent = counts;
  showList(at('crowd'), members, memberRow);
  showList(at('attention'), attention, attentionRow);
  if (attention.length === 0) {
    at('attention').replaceChildren(make('li', 'soft', 'Nothing yet.'));
    delete at('attention').dataset.source;
  }
}

at('copy').addEventListener('click', async () => {
  await navigator.clipboard.writeText(at('token').textContent).then(
    () => showNotice('The token is copied.'),
    () => showNotice('Select the token and copy it.'),
  );
});
const events = new EventSource('/events');
events.addEventListener('message', ({ data }) => show(JSON.parse(data)));
events.addEventListener('error', () => showNotice('The demo has ended.'));
