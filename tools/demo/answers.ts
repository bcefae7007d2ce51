/**
 * What played candidates say to the questions of the two example vacancies, by the ids of the
 * questions. A blank line begins another message; `{m|f}` chooses by the candidate's grammatical
 * gender.
 */
export const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  'work-permit': [
    'I live in Porto and I am a Portuguese citizen, so no permit is needed.',
    'I have the right to work in Ireland: Stamp 4 since 2022.\n\nNo sponsorship needed.',
    'I would need sponsorship. I am in Kraków now, with an EU passport from Poland, so perhaps that settles it: I may work in both countries.',
    'I am in Dublin on a Critical Skills permit with another employer. It would have to be transferred.',
  ],
  'production-service': [
    'I owned the invoicing service of a logistics company for three years.\n\nAbout 400 requests a second at peak, 30 million invoices a year. I designed the numbering and the retries; two colleagues did the PDF part.',
    'A payout service for a marketplace: 60,000 sellers, one run each night, roughly 4 million euros a day. The state machine of a payout and the reports to finance were mine.',
    'The search of a travel site. 2,000 requests a second in summer. I wrote the indexing pipeline; today I would not put prices into the index, because they change too often.',
    'An API for prepaid cards, with 90 requests a second. My part was the ledger: double entry, in PostgreSQL, with a check each night that the sums are zero.',
  ],
  'exactly-once': [
    'I create an idempotency key before the call and store it with the payment in one transaction, in the state "sending". After a timeout the state is "unknown". Then a job asks the bank by that key before anything is sent again.',
    'First the intent goes into the database: amount, key, state. Only then the call.\n\nAfter a timeout nobody retries blindly: we query the status, and if the bank cannot say, the payment waits for the reconciliation file.',
    'The same key for every retry, so the bank can drop duplicates. If the bank has no keys, I send once and reconcile against its statement; a person looks at what is still open after a day.',
    'We had exactly this with a card processor. We stored a row with a unique key, and a crash after the call left the row in "pending". A worker picked those up and asked for their status.',
  ],
  incident: [
    'Payouts were sent twice for 212 sellers. I found it by comparing the ledger with the bank file: two workers had taken the same batch.\n\nWe added a lease with a fencing token and a test that runs two workers against each other.',
    'The checkout became slow every hour. Traces showed a lock on one table, and pg_stat_activity showed who held it: a report. We moved the report to the replica, and added an alert on lock waits.',
    'A certificate expired on a Sunday. Embarrassing, and my own omission: I had renewed it on one of two hosts. Since then an alert fires 21 days before, and renewal is automatic.',
    'Memory grew until pods were killed. Heap dumps two hours apart showed a cache without a bound. I limited it, and we now run a soak test each night.',
  ],
  'sql-depth': [
    'A list of orders took 9 seconds. EXPLAIN ANALYZE showed a sequential scan, because the filter used a function on the column. An expression index brought it to 40 ms.',
    'The nightly report ran for two hours. The estimate was 10 rows, the reality 4 million. Extended statistics fixed the plan: 11 minutes.',
    'An N+1 in the dashboard: 600 queries for a page. One join with an aggregate, and 1.8 s became 120 ms.',
    'Deletes were slow. The foreign key on the child table had no index. After adding it, a batch went from 14 minutes to 20 seconds.',
  ],
  disagreement: [
    'A colleague wanted Kafka between two services, I wanted an outbox table. His point about replay was good. We measured both for a week and kept the table, because the volume was small. I wrote down when we should change our minds.',
    'We argued about GraphQL. I lost, and carried it out: I wrote the guidelines for it. The best argument of the other side was that the mobile team could work without waiting for us.',
    'I was for rewriting a module, the lead was for small steps. We agreed on a limit of two weeks for the steps. They were enough, and I was wrong about the size of it.',
  ],
  'on-call': [
    'Yes, one week in six is fine.',
    'Yes. I have done one week in four before, so this is an improvement.',
    'Yes with a condition: not in the week in which I have the children alone, that can be planned a month ahead.',
    'I can take it, but I would like to start after the first three months.',
  ],
  terms: [
    'My notice period is two months, so February. I am looking for 85,000 to 90,000.',
    'I could start on 7 January. Around 80,000 would be right for me.',
    'In six weeks. 92,000, and I am open about how it is split.',
  ],
  schedule: [
    'Да, такой график подходит. Выходные летом для меня не проблема.',
    'Подходит, но с условием: субботу прошу планировать за месяц.',
    'Да, подходит.\n\nСейчас работаю почти так же, с 10 до 19, раз в две недели суббота.',
  ],
  team: [
    'Три года {руководил|руководила} сменой из семи человек в службе доставки.\n\nСам{|а} {составлял|составляла} график и {проводил|проводила} собеседования. Вначале половина уходила за полгода, в конце за год {ушёл один|ушла одна} сотрудница.',
    'Группа из двенадцати операторов банка: чат и телефон. Я {отвечал|отвечала} за качество и сложные жалобы, бюджет был не мой. Ввёл{|а} разборы диалогов по пятницам.',
    'Координировал{|а} пятерых специалистов в интернет-магазине, формально без должности. {Решал|Решала}, кому какие обращения, и {писал|писала} регламент возвратов.',
  ],
  'hard-case': [
    'Семья приехала ночью с ребёнком, а номер был занят. Пока коллега искал причину, я {нашёл|нашла} гостиницу рядом и {оплатил|оплатила} из резерва. Утром выяснилось, что бронь не ушла из-за сбоя синхронизации. После этого мы стали проверять заезды за день.',
    'Клиентка трижды писала про двойное списание, и трижды ей отвечали шаблоном. Я {позвонил|позвонила}, {извинился|извинилась}, деньги вернули за два часа.\n\nПричина была в повторной отправке формы, разработка её исправила через неделю.',
    'Хозяин дома требовал деньги за мебель, а гость отрицал. {Запросил|Запросила} фото при заезде и выезде, составили акт, разделили сумму пополам. Оба остались с нами.',
  ],
  metrics: [
    'Время первого ответа, доля решённых с первого обращения и повторные за неделю. Весной первый ответ вырос с двух минут до семи: ушли двое. {Перевёл|Перевела} простые вопросы на бота и на месяц взял{|а} людей из соседней группы, стало две с половиной.',
    'Смотрел{|а} на оценку клиента и повторные обращения. Оценка была 4,7, а повторных 18 процентов: хвалили вежливость, а вопрос не решали. Поменяли регламент возвратов, повторных стало 11.',
    'Главное — решённые с первого раза. Было 62 процента, за полгода дошли до 74: завели статьи под пятнадцать частых вопросов. Знаю, что этот показатель легко испортить, закрывая обращения раньше времени, поэтому {сверял|сверяла} с повторными.',
  ],
  feedback: [
    'Поговорил{|а} наедине, с тремя его диалогами в руках. Оказалось, он работал вторую неделю без выходных. {Дал|Дала} два дня отдыха, договорились созвониться через неделю. Больше такого не было.',
    'Такого не было, но сначала я {спросил|спросила} бы, что случилось, и только потом {показал|показала} бы примеры. Договорились бы, что изменится, и через две недели {проверил|проверила} бы.',
    'Было дважды. В первом случае помог разговор, во втором пришлось на месяц перевести человека на письма, где есть время подумать. Это было честно по отношению к клиентам.',
  ],
  season: [
    'Сначала то, что горит: заезды сегодня и завтра. Остальным честно пишем срок ответа. Подготовлю шаблоны на десять частых вопросов, попрошу двоих из соседних отделов на вечерние часы.\n\nОтложу отчёты и обучение.',
    'Разделил{|а} бы поток: двое на заездах, четверо на чатах, один на споре и возвратах. Письма подождут до суток. Каждому один полный выходной, иначе через две недели потеряем ещё двоих.',
    'В первый день пересмотрю график и уберу всё, что не обращения. Во второй включу автоответ с честным сроком. К концу недели позову бывших сотрудников на подработку.',
  ],
  'terms-ru': [
    'Могу выйти через две недели. Рассчитываю на 160–170 тысяч.',
    'После отработки, с 15 января. Ожидания — 150 тысяч, для меня важнее команда.',
    'Хоть с понедельника. 175 тысяч.',
  ],
};

/** What candidates ask; the last of each is in none of the documents, so a person has to reply. */
export const QUESTIONS = {
  en: [
    'How many days of holiday are there?',
    'Which languages and frameworks do you use?',
    'May I work from another country for a month?',
    'Is there a choir or a band at the office?',
  ],
  ru: [
    'Сколько дней отпуска у руководителя?',
    'Как устроены ночные дежурства?',
    'Какими программами пользуется группа поддержки?',
    'Можно ли приводить в офис попугая?',
  ],
};

export const WISHES = {
  en: {
    person: 'Can I talk to a person?',
    stop: 'Stop the interview',
    yes: 'Yes',
    short: 'Hard to say.',
  },
  ru: {
    person: 'Можно поговорить с человеком?',
    stop: 'Хочу закончить интервью',
    yes: 'Да',
    short: 'Сложно сказать.',
  },
};
