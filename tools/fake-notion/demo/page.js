/** The page of `npm run demo:notion`: shows the server’s view, sends a person’s edits. */
/* global URLSearchParams, history */
const WORDS = {
  en: {
    person: 'Board of',
    newTask: 'A new task',
    add: 'Add',
    heads: ['Rank', 'Task', 'Importance', 'Status', 'Due', 'Estimate', 'Projected', 'At risk'],
    more: 'More important',
    less: 'Less important',
    status: 'Status',
    risk: 'at risk',
    after: 'after',
    none: '—',
    about:
      'A Notion on this machine. Colloquy hears of each change, waits until a board is quiet, and ranks it within the limits of the API.',
    by: 'Edit as',
    owner: 'the person of the board',
    rate: 'Calls of the API',
    second: 'in the last second',
    minute: 'in the last minute',
    queue: 'Boards to be ranked',
    noQueue: 'None: every board is ranked.',
    place: {
      waiting: (seconds) => `ranking in ${seconds} s`,
      ready: () => 'next in line',
      running: () => 'ranking now',
      retry: (seconds) => `trying again in ${seconds} s`,
    },
    more_boards: (count) => `and ${count} more`,
    happened: 'What happens',
    nothing: 'Change an importance, and watch the ranks follow.',
    did: {
      add: ({ who, what, value }) =>
        who === value ? `${who} added “${what}”` : `${who} added “${what}” for ${value}`,
      importance: ({ who, what, value }) => `${who} set the importance of “${what}” to ${value}`,
      status: ({ who, what, value }) => `${who} set “${what}” to ${value}`,
      assign: ({ who, what, value }) => `${who} gave “${what}” to ${value}`,
      ranked: ({ what, value }) =>
        value === '0'
          ? `The board of ${what} was read: its ranks are right`
          : `The board of ${what} was ranked: ${value} written`,
    },
    colleagues: 'Colleagues edit too (played)',
    summary: (open, ranked) => `${open} open tasks, ${ranked} ranked`,
    figures: ({ calls, events }) =>
      `${calls.total} in all, ${calls.writes} of them writes; at most ${calls.mostInASecond} in a second; ` +
      `refused (429): ${calls.tooMany}. Colloquy took ${events.taken} of ${events.made} events.`,
    lost: 'no connection to the demo',
  },
  ru: {
    person: 'Доска:',
    newTask: 'Новая задача',
    add: 'Добавить',
    heads: ['Место', 'Задача', 'Важность', 'Статус', 'Срок', 'Оценка', 'Прогноз', 'Риск'],
    more: 'Важнее',
    less: 'Менее важно',
    status: 'Статус',
    risk: 'риск',
    after: 'после',
    none: '—',
    about:
      'Notion на этом компьютере. Colloquy узнаёт о каждом изменении, ждёт, пока правки на доске закончатся, и расставляет задачи по местам, не превышая лимитов API.',
    by: 'Править от имени',
    owner: 'владельца доски',
    rate: 'Вызовы API',
    second: 'за последнюю секунду',
    minute: 'за последнюю минуту',
    queue: 'Доски в очереди',
    noQueue: 'Нет: на всех досках места расставлены.',
    place: {
      waiting: (seconds) => `обновится через ${seconds} с`,
      ready: () => 'следующая',
      running: () => 'обновляется',
      retry: (seconds) => `ещё раз через ${seconds} с`,
    },
    more_boards: (count) => `и ещё ${count}`,
    happened: 'Что происходит',
    nothing: 'Измените важность задачи и посмотрите, как изменятся места.',
    did: {
      add: ({ who, what, value }) => `${who}: новая задача «${what}», исполнитель: ${value}`,
      importance: ({ who, what, value }) => `${who}: важность «${what}» теперь ${value}`,
      status: ({ who, what, value }) => `${who}: статус «${what}» теперь ${value}`,
      assign: ({ who, what, value }) => `${who}: «${what}», новый исполнитель: ${value}`,
      ranked: ({ what, value }) =>
        value === '0'
          ? `${what}: доска прочитана, места верны`
          : `${what}: доска готова, записано задач: ${value}`,
    },
    colleagues: 'Коллеги тоже вносят правки (за них действует программа)',
    summary: (open, ranked) => `Открытых задач: ${open}, с местом в очереди: ${ranked}`,
    figures: ({ calls, events }) =>
      `Всего: ${calls.total}, из них записей: ${calls.writes}; самое большее за секунду: ${calls.mostInASecond}; ` +
      `отказов (429): ${calls.tooMany}. Colloquy принял событий: ${events.taken} из ${events.made}.`,
    lost: 'нет связи с демо',
  },
};

const asked = new URLSearchParams(location.search);
const lang = (asked.get('lang') ?? navigator.language).startsWith('ru') ? 'ru' : 'en';
const words = WORDS[lang];
const at = (id) => document.getElementById(id);
let person = asked.get('person') ?? '';
let events = null;
let noticeTimer = null;

document.documentElement.lang = lang;
at('about').textContent = words.about;
at('state').setAttribute('aria-label', words.happened);
at('rate-title').textContent = words.rate;
at('second-label').textContent = words.second;
at('minute-label').textContent = words.minute;
at('queue-title').textContent = words.queue;
at('happened-title').textContent = words.happened;
at('colleagues-label').lastElementChild.textContent = words.colleagues;
at('person-label').firstElementChild.textContent = words.person;
at('by-label').firstElementChild.textContent = words.by;
at('name').placeholder = words.newTask;
at('name').setAttribute('aria-label', words.newTask);
at('add').querySelector('button').textContent = words.add;
at('heads').replaceChildren(
  ...words.heads.map((head) => {
    const cell = make('th', '', head);
    cell.scope = 'col';
    return cell;
  }),
);

function make(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...content);
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

async function act(deed) {
  const response = await fetch(`/do?${new URLSearchParams({ by: at('by').value })}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(deed),
  }).catch(() => null);
  if (response === null) showNotice(words.lost);
  else if (!response.ok) showNotice(await response.text());
}

const dateOf = (day) =>
  day === null
    ? words.none
    : new Date(day).toLocaleDateString(lang, { day: 'numeric', month: 'short', timeZone: 'UTC' });

function importanceOf(task) {
  const step = (sign, label, by) => {
    const button = make('button', 'step', sign);
    button.type = 'button';
    button.dataset.key = `${task.id} ${sign}`;
    button.setAttribute('aria-label', `${label}: ${task.name}`);
    button.addEventListener('click', () =>
      act({ act: 'importance', task: task.id, importance: (task.importance ?? 0) + by }),
    );
    return button;
  };
  const value = make('span', 'value', String(task.importance ?? words.none));
  return make('div', 'steps', step('−', words.less, -1), value, step('+', words.more, 1));
}

function statusOf(task, statuses) {
  const select = make('select', '');
  select.dataset.key = `${task.id} status`;
  select.setAttribute('aria-label', `${words.status}: ${task.name}`);
  for (const status of statuses) {
    const option = make('option', '', status);
    option.selected = status === task.status;
    select.append(option);
  }
  select.addEventListener('change', () =>
    act({ act: 'status', task: task.id, status: select.value }),
  );
  return select;
}

function nameOf(task) {
  const name = make('span', 'name', task.name);
  if (task.blockedBy.length === 0) return name;
  const before = make('span', 'after', `${words.after}: ${task.blockedBy.join(', ')}`);
  return make('div', '', name, before);
}

function rowOf(task, statuses) {
  const cells = [
    make('span', task.rank === null ? 'rank none' : 'rank', String(task.rank ?? words.none)),
    nameOf(task),
    importanceOf(task),
    statusOf(task, statuses),
    dateOf(task.due),
    task.estimate === null ? words.none : `${task.estimate}`,
    dateOf(task.projected),
    task.isAtRisk ? make('span', 'risk', words.risk) : words.none,
  ];
  return make(
    'tr',
    '',
    ...cells.map((cell, column) => {
      const shown = make('td', cell === words.none ? 'empty' : '', cell);
      // Where the table is shown as cards, each value has its name beside it.
      shown.dataset.head = words.heads[column];
      return shown;
    }),
  );
}

const rows = new Map();

/** Only changed rows are rendered again, so the focus stays where it was. */
function showTasks(tasks, statuses) {
  const focused = document.activeElement?.dataset?.key;
  const wanted = tasks.map((task) => {
    const source = JSON.stringify(task);
    const before = rows.get(task.id);
    if (before?.source === source) return before.row;
    const row = rowOf(task, statuses);
    rows.set(task.id, { source, row });
    return row;
  });
  const ids = new Set(tasks.map(({ id }) => id));
  for (const id of [...rows.keys()]) if (!ids.has(id)) rows.delete(id);
  at('tasks').replaceChildren(...wanted);
  if (focused === undefined) return;
  const again = wanted
    .flatMap((row) => [...row.querySelectorAll('[data-key]')])
    .find((element) => element.dataset.key === focused);
  again?.focus({ preventScroll: true });
}

/** Changes only what differs, because a list that is open in the browser would close. */
function showPeople(select, people, labels, chosen) {
  const same = select.options.length === people.length;
  if (!same) {
    select.replaceChildren(
      ...people.map(({ id }) => {
        const option = make('option', '');
        option.value = id;
        return option;
      }),
    );
  }
  labels.forEach((label, place) => {
    if (select.options[place].textContent !== label) select.options[place].textContent = label;
  });
  select.value = chosen;
}

function showList(list, lines, empty) {
  const wanted = lines.length > 0 ? lines : [make('span', 'soft', empty)];
  list.replaceChildren(...wanted.map((line) => make('li', '', line)));
}

const MOST_SHOWN = 5;
let queue = [];
let names = new Map();

const placeOf = ({ state, dueAtMs }) =>
  words.place[state](Math.max(1, Math.ceil((dueAtMs - Date.now()) / 1000)));

/** Once a second, because the page counts down by itself. */
function showQueue() {
  const lines = queue.slice(0, MOST_SHOWN).map((board) => {
    const place = make(
      'span',
      board.state === 'running' ? 'pill good' : 'pill wait',
      placeOf(board),
    );
    return make('span', 'place', make('span', '', names.get(board.personId) ?? ''), place);
  });
  const more = queue.length - MOST_SHOWN;
  if (more > 0) lines.push(make('span', 'soft', words.more_boards(more)));
  showList(at('queue'), lines, words.noQueue);
  const own = queue.find(({ personId }) => personId === person);
  at('countdown').hidden = own === undefined;
  if (own === undefined) return;
  at('countdown').textContent = placeOf(own);
  at('countdown').className = own.state === 'running' ? 'pill good' : 'pill wait';
}

function showRate({ calls }) {
  for (const [id, used, limit] of [
    ['second', calls.lastSecond, calls.perSecond],
    ['minute', calls.lastMinute, calls.perMinute],
  ]) {
    at(id).textContent = limit === null ? String(used) : `${used} / ${limit}`;
    at(`${id}-bar`).max = limit ?? 1;
    at(`${id}-bar`).value = Math.min(used, limit ?? 0);
  }
}

function show(view) {
  person = view.person.id;
  at('title').textContent = view.title;
  document.title = `${view.person.name} · ${view.title}`;
  at('figures').textContent = words.figures(view);
  showRate(view);
  queue = view.queue;
  names = new Map(view.people.map(({ id, name }) => [id, name]));
  showQueue();
  showList(
    at('happened'),
    view.happened.map((one) => make('span', '', words.did[one.did](one))),
    words.nothing,
  );
  at('colleagues-label').hidden = view.colleagues === null;
  at('colleagues').checked = view.colleagues === true;
  const ranked = view.tasks.filter(({ rank }) => rank !== null).length;
  const summary = words.summary(view.tasks.length, ranked);
  if (at('summary').textContent !== summary) at('summary').textContent = summary;
  const boards = view.people.map(({ name, open }) => `${name} (${open})`);
  showPeople(at('person'), view.people, boards, view.person.id);
  const editors = [{ id: '', name: words.owner }, ...view.people];
  showPeople(
    at('by'),
    editors,
    editors.map(({ name }) => name),
    at('by').value,
  );
  showTasks(view.tasks, view.statuses);
}

function follow() {
  events?.close();
  events = new EventSource(`/events?${new URLSearchParams({ person })}`);
  events.addEventListener('message', ({ data }) => show(JSON.parse(data)));
  events.addEventListener('error', () => showNotice(words.lost));
}

at('person').addEventListener('change', () => {
  person = at('person').value;
  history.replaceState(null, '', `?${new URLSearchParams({ person, lang })}`);
  follow();
});
at('add').addEventListener('submit', (event) => {
  event.preventDefault();
  act({ act: 'add', person, name: at('name').value });
  at('name').value = '';
});
at('colleagues').addEventListener('change', () =>
  act({ act: 'colleagues', isOn: at('colleagues').checked }),
);
setInterval(showQueue, 1000);
follow();
