/**
 * The team and the candidates in the pictures of the console, in each language: who they are, what they have said to
 * each other, and what they gave. All names are invented.
 */
const EN = {
  vacancy: 'backend-engineer',
  title: 'Senior Backend Engineer (Payments)',
  admin: { name: 'Nora Lindqvist', email: 'nora@harbourline.example' },
  colleagues: [
    { name: 'Tomás Reyes', email: 'tomas@harbourline.example', role: 'recruiter' },
    {
      name: 'Aoife Byrne',
      email: 'aoife@harbourline.example',
      role: 'interviewer',
      isLimited: true,
    },
    { name: 'Sam Whitaker', email: 'sam@harbourline.example', role: 'viewer' },
  ],
  invitedColleague: {
    name: 'Grace Adeyemi',
    email: 'grace@harbourline.example',
    role: 'recruiter',
  },
  /** Their state is in console-data.mjs; `read` and `compared` have names of their own. */
  names: {
    read: 'Priya Raman',
    compared: 'Lars Holm',
    decided: 'Inês Duarte',
    finished: 'Mateo Ruiz',
    begun: 'Hannah Weiss',
    started: 'Kofi Mensah',
    person: 'Clara Fontaine',
    asks: 'Jonas Berg',
    withdrawn: 'Ruth Ekström',
    opened: 'Bruno Costa',
  },
  invited: ['Oona Kelly', 'Felix Brandt', 'Amara Diallo'],
  invitedHere: { name: 'Dara Quinn', email: 'dara@example.org' },
  question: 'Could I work from Lisbon for the first three months?',
  reply: 'Hello Clara, this is Nora. I am glad to help: what would you like to know?',
  answerBegun:
    'Yes: Portugal is one of the two countries, and the first weeks are remote for everybody.',
  notes: ['Says which part was theirs.', 'Numbers, and the reason for each.'],
  comments: {
    colleague: 'Ask about the reconciliation files in the second talk.',
    own: 'The clearest answer about retries so far.',
  },
  reasons: {
    decided: 'The ledger was theirs, and they told what they would do differently now.',
    begun:
      'Owns the service that settles payments today; evidence in the answers to questions 2 and 3.',
  },
  versions: [
    ['replyWithin: 5 business days', 'replyWithin: 3 business days'],
    ['replyWithin: 3 business days', 'replyWithin: 5 business days'],
  ],
  table: [
    ['Name', 'E-mail', 'Phone', 'Applied for', 'Source'],
    ['Oona Kelly', 'oona@example.org', '+353 1 555 0101', 'Backend', 'Referral'],
    ['Felix Brandt', 'felix@example.org', '+49 30 5550102', 'Backend', 'Website'],
    ['Amara Diallo', 'amara@example.org', '+351 21 555 0103', 'Backend', 'Website'],
    ['Yuki Tanaka', 'yuki@example.org', '+351 21 555 0104', 'Backend', 'Fair'],
  ],
};

const RU = {
  vacancy: 'support-lead',
  title: 'Руководитель группы поддержки',
  admin: { name: 'Марина Соболева', email: 'marina@gavan.example' },
  colleagues: [
    { name: 'Илья Котов', email: 'ilya@gavan.example', role: 'recruiter' },
    { name: 'Вера Панина', email: 'vera@gavan.example', role: 'interviewer', isLimited: true },
    { name: 'Глеб Титов', email: 'gleb@gavan.example', role: 'viewer' },
  ],
  invitedColleague: { name: 'Лидия Рощина', email: 'lidia@gavan.example', role: 'recruiter' },
  names: {
    read: 'Анна Соколова',
    compared: 'Игорь Мельников',
    decided: 'Ольга Руднева',
    finished: 'Тимур Ахметов',
    begun: 'Екатерина Лаптева',
    started: 'Павел Громов',
    person: 'Светлана Ким',
    asks: 'Дмитрий Орлов',
    withdrawn: 'Мария Белова',
    opened: 'Никита Зайцев',
  },
  invited: ['Зоя Крылова', 'Артём Лисин', 'Полина Жукова'],
  invitedHere: { name: 'Юлия Седова', email: 'yulia@example.org' },
  question: 'Можно ли первый месяц работать из Казани?',
  reply: 'Светлана, здравствуйте! Это Марина. Чем могу помочь?',
  answerBegun: 'Да: группа работает удалённо, в офисе встречаемся раз в квартал.',
  notes: ['Сказано, что решала сама.', 'Есть цифры, и понятно, откуда они.'],
  comments: {
    colleague: 'На встрече спросить о графике в августе.',
    own: 'Самый внятный пример о двойной брони.',
  },
  reasons: {
    decided: 'Руководила сменой в сезон и рассказала, что изменила бы.',
    begun: 'Уже ведёт группу того же размера; подробности в ответах на вопросы 2 и 3.',
  },
  versions: [
    ['replyWithin: 5 business days', 'replyWithin: 3 business days'],
    ['replyWithin: 3 business days', 'replyWithin: 5 business days'],
  ],
  table: [
    ['ФИО', 'Почта', 'Телефон', 'Город', 'Откуда'],
    ['Зоя Крылова', 'zoya@example.org', '+7 900 555-01-01', 'Тверь', 'Сайт'],
    ['Артём Лисин', 'artem@example.org', '+7 900 555-01-02', 'Казань', 'Сайт'],
    ['Полина Жукова', 'polina@example.org', '+7 900 555-01-03', 'Пермь', 'Коллеги'],
    ['Роман Чернов', 'roman@example.org', '+7 900 555-01-04', 'Тула', 'Сайт'],
  ],
};

export const CONSOLE_SCRIPT = { en: EN, ru: RU };

/** For the model: nothing is said to a question that no document covers. */
export const OPEN_QUESTIONS = Object.values(CONSOLE_SCRIPT).map(({ question }) => [
  question,
  '',
  'question',
]);
