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
    summary: (open, ranked) => `${open} open tasks, ${ranked} ranked`,
    figures: ({ calls, events }) =>
      `${calls.total} API calls (${calls.writes} writes, at most ${calls.mostInASecond} in a second, ` +
      `${calls.tooMany} answered 429) · ${events.taken} of ${events.made} events taken`,
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
    summary: (open, ranked) => `Открытых задач: ${open}, с местом в очереди: ${ranked}`,
    figures: ({ calls, events }) =>
      `Вызовов API: ${calls.total} (записей: ${calls.writes}, не больше ${calls.mostInASecond} в секунду, ` +
      `ответов 429: ${calls.tooMany}) · принято событий: ${events.taken} из ${events.made}`,
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
at('person-label').firstElementChild.textContent = words.person;
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
  const response = await fetch('/do', {
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
  return make('tr', '', ...cells.map((cell) => make('td', '', cell)));
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

function showPeople(people, chosen) {
  const select = at('person');
  const labels = people.map(({ name, open }) => `${name} (${open})`);
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

function show(view) {
  person = view.person.id;
  at('title').textContent = view.title;
  document.title = `${view.person.name} · ${view.title}`;
  at('figures').textContent = words.figures(view);
  const ranked = view.tasks.filter(({ rank }) => rank !== null).length;
  const summary = words.summary(view.tasks.length, ranked);
  if (at('summary').textContent !== summary) at('summary').textContent = summary;
  showPeople(view.people, view.person.id);
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
follow();
