/**
 * What is said in the pictures: to each question of the two example vacancies an answer, and what the
 * interviewer says to it. All names are invented.
 */
const EN = {
  name: 'Priya Raman',
  contact: 'priya@example.org',
  unusualContact: 'ask at the front desk',
  answers: [
    [
      'I live in Porto and hold a Portuguese passport, so no permit is needed.',
      'Thank you, noted.',
    ],
    [
      'I owned the ledger of a payment company: double entry on PostgreSQL, about 300 writes a second.',
      'Thanks, a ledger at that rate is a good example.',
    ],
    [
      'The key is chosen before the call and stored in one transaction with the intent to charge. A retry finds it and sends the same request again.',
      'Thank you, I see how a retry stays safe.',
    ],
    [
      'A deploy doubled our latency. The traces showed a lock in a migration, and now each one is tried on a copy first.',
      'Thanks for the detail.',
    ],
    [
      'I read the plan first. An index on the wrong column: from 4 seconds to 20 milliseconds.',
      'Thank you.',
    ],
    [
      'We disagreed on a queue. We measured both for a week and took the simpler one, which was not mine.',
      'Thanks for telling it so openly.',
    ],
    ['Yes, one week in six is fine.', 'Good to know.'],
    ['In six weeks, and 85,000 euros.', 'Thank you.'],
  ],
  more: 'It settles about two million payments a day',
  slow: 'Each posting has an idempotency key, so a retried payment is never booked twice.',
  slowBegun: 'So each posting has a key of its own.',
  taken: 'My part was the posting itself and its reconciliation with the banks.',
  long: [
    'It was a ledger for a payment company, and I was responsible for it from the first table on.',
    'Every posting is two rows that have to balance. We keep them in PostgreSQL, in one partition for each month, and about 300 of them are written a second at noon.',
    'The hardest part was the reconciliation: banks send their files at night, late, twice, or with a line missing.',
    'So I made each import repeatable, and now nobody has to get up for it.',
  ].join('\n\n'),
  human: 'I would rather talk to a person about this, please.',
  humanYes: 'Yes, a person.',
  unsent: 'This one was written on a train, in a tunnel.',
  fromPerson: 'Hello Priya, Nora here. Shall we talk on Friday at ten? Your ledger interests me.',
  toPerson: 'Friday at ten is fine, thank you.',
};

const RU = {
  name: 'Анна Соколова',
  contact: 'anna@example.org',
  unusualContact: 'спросите на ресепшене',
  answers: [
    [
      'Да, такой график подходит: последние три года работаю именно так.',
      'Спасибо, ответ записан.',
    ],
    [
      'Руководила группой из восьми человек: чат, почта и телефон. Графиком и наймом занималась сама.',
      'Спасибо, масштаб понятен.',
    ],
    [
      'Семью не заселили из-за двойной брони. Нашла номер рядом, оплатили мы, а утром перезвонила сама.',
      'Спасибо за подробный пример.',
    ],
    [
      'Время первого ответа и доля решённых с первого раза. Летом ответ вырос до часа, и мы ввели дежурного по очереди.',
      'Спасибо.',
    ],
    ['Поговорила наедине, показала переписку, через неделю посмотрели вместе снова.', 'Понятно.'],
    [
      'Сначала заезды сегодня, бонусы потом. Шаблоны, два человека из отдела продаж на почту.',
      'Спасибо.',
    ],
    ['Через три недели, от 160 тысяч.', 'Спасибо.'],
  ],
  more: 'За смену у нас около двухсот обращений',
  slow: 'Утром я первым делом смотрю на тех, кто заезжает сегодня.',
  slowBegun: 'Значит, утро начинается с тех, кто заезжает сегодня.',
  taken: 'Решала я сама: график, наём и что обещать клиенту.',
  long: [
    'Группа отвечала за всё, что пишут и говорят гости: чат, почта, телефон. Нас было восемь человек и двое на сезон.',
    'Графиком и наймом занималась я сама. За три года взяла одиннадцать человек, ушли двое.',
    'Самое трудное было летом: обращений втрое больше, а отпуска у всех в одно время. Поэтому мы договаривались об отпусках ещё зимой.',
    'Что обещать гостю, решал сотрудник на месте, до пяти тысяч рублей без согласования.',
  ].join('\n\n'),
  human: 'Об этом мне проще поговорить с человеком.',
  humanYes: 'Да, с человеком.',
  unsent: 'Это сообщение написано в поезде, в тоннеле.',
  fromPerson: 'Анна, здравствуйте! Это Марина. Удобно созвониться в пятницу в десять?',
  toPerson: 'Да, в пятницу в десять удобно, спасибо.',
};

export const SCRIPT = { en: EN, ru: RU };

/** For the model: a part of an answer, what it says to it, and its verdict. */
export const ACKNOWLEDGEMENTS = Object.values(SCRIPT).flatMap(({ answers, human, humanYes }) => [
  ...answers,
  [human, '', 'human'],
  [humanYes, '', 'human'],
]);
