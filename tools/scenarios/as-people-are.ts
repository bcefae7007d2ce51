import { A, ALL, B, DONE, both, going, one, turn } from './words';
import type { Scenario } from './scenario';

/** Candidates who write as people do: they greet, wait, pause, joke, repeat, and tell what hurts. */
export const AS_PEOPLE_ARE: readonly Scenario[] = [
  ...both(
    'greets-first',
    'aside',
    {
      en: [
        turn('Hi there, good morning!', { verdict: 'aside', text: 'Good morning to you too.' }),
        A.en,
      ],
      ru: [turn('Здравствуйте, доброе утро!', { verdict: 'aside', text: 'Доброе утро!' }), A.ru],
    },
    { good: going(1, 'aside answered'), scripted: going(1, 'aside answered') },
  ),
  ...both(
    'one-second',
    'aside',
    {
      en: [
        turn('One second', { verdict: 'aside', text: 'Of course, take your time.' }),
        turn('Let me think', { verdict: 'aside', text: 'No hurry.' }),
        A.en,
      ],
      ru: [
        turn('Секунду', { verdict: 'aside', text: 'Конечно, не спешите.' }),
        turn('Дайте подумать', { verdict: 'aside', text: 'Время есть.' }),
        A.ru,
      ],
    },
    { good: going(1, 'aside aside answered'), scripted: going(1, 'aside aside answered') },
  ),
  ...both(
    'jokes',
    'aside',
    {
      en: [
        turn('My cat is proud of every project, ha ha.', {
          verdict: 'aside',
          text: 'Ha, that is a loyal fan.',
        }),
        A.en,
      ],
      ru: [
        turn('Мой кот гордится всеми проектами, хе-хе.', {
          verdict: 'aside',
          text: 'Вот это поддержка!',
        }),
        A.ru,
      ],
    },
    { good: going(1, 'aside answered') },
  ),
  ...both(
    'thanks-before-the-last',
    'aside',
    {
      en: [A.en, B.en, turn('Thank you!', { verdict: 'aside', text: 'You are welcome.' })],
      ru: [A.ru, B.ru, turn('Спасибо!', { verdict: 'aside', text: 'Пожалуйста.' })],
    },
    {
      good: going(2, 'answered answered aside'),
      scripted: going(2, 'answered answered aside'),
    },
  ),
  ...both(
    'goodbye',
    'after-end',
    {
      en: [...ALL.en, turn('Goodbye!')],
      ru: [...ALL.ru, turn('До свидания!')],
    },
    {
      good: { ...going(3, `${DONE.join(' ')} code`), status: 'completed' },
      scripted: { ...going(3, `${DONE.join(' ')} code`), status: 'completed' },
    },
  ),
  ...both(
    'asks-after-end',
    'after-end',
    {
      en: [
        ...ALL.en,
        turn('Will I have a mentor at first?', {
          verdict: 'question',
          sources: '1',
          text: 'Yes: every new colleague has a mentor for the first month.',
        }),
      ],
      ru: [
        ...ALL.ru,
        turn('А наставник сначала будет?', {
          verdict: 'question',
          sources: '1',
          text: 'Да, у каждого нового сотрудника первый месяц есть наставник.',
        }),
      ],
    },
    {
      good: { ...going(3, `${DONE.join(' ')} question`), status: 'completed' },
      scripted: {
        ...going(3, `${DONE.join(' ')} code`),
        status: 'completed',
        attention: ['question'],
      },
    },
  ),
  ...both(
    'goes-on-later',
    'later',
    {
      en: [turn("I'll finish tonight, ok?", { verdict: 'later' }), A.en],
      ru: [turn('Закончу вечером, хорошо?', { verdict: 'later' }), A.ru],
    },
    { good: going(1, 'later answered'), scripted: going(1, 'later answered') },
  ),
  ...both(
    'already-told',
    'already-told',
    {
      en: [
        turn('I moved our archive to a new service; half of the team argued against it.', {
          text: 'So you moved it although half of the team was against it.',
        }),
        turn('I already told you: half of the team argued against the move.', {
          text: 'You did, half of the team argued against it.',
        }),
      ],
      ru: [
        turn('Перенесла архив на новый сервис, хотя полкоманды спорило.', {
          text: 'Значит, перенесли, хотя полкоманды спорило.',
        }),
        turn('Я уже говорила: о переносе архива спорило полкоманды.', {
          text: 'Да, вы говорили, что о переносе спорило полкоманды.',
        }),
      ],
    },
    { good: going(2, 'answered answered') },
  ),
  ...both(
    'rhetorical',
    'asks-inside',
    {
      en: [
        turn('You know what I mean? A migration where nothing may break. I led it.', {
          asks: 'no',
          text: 'So you led a migration where nothing may break.',
        }),
      ],
      ru: [
        turn('Понятно объясняю? Миграция, где ничего нельзя сломать. Вела её я.', {
          asks: 'no',
          text: 'Значит, вы вели миграцию, где ничего нельзя сломать.',
        }),
      ],
    },
    { good: going(1, 'answered', { hears: [] }), scripted: going(1, 'answered') },
  ),
  one(
    'en-numbers',
    'answers',
    [
      turn('We handled 1200 requests a second and cut the error budget by two thirds.', {
        text: 'So it was 1,200 requests a second, and the error budget went down by two thirds.',
      }),
    ],
    {
      good: going(1, 'answered', {
        hears: ['So it was 1,200 requests a second, and the error budget went down by two thirds.'],
      }),
      scripted: going(1, 'answered'),
    },
  ),
  one(
    'ru-numbers',
    'answers',
    [
      turn('Держали 1200 запросов в секунду, после удаления дублей стало на треть меньше ошибок.', {
        text: 'Значит, держали 1 200 запросов в секунду, а удаление дублей убрало треть ошибок.',
      }),
    ],
    {
      good: going(1, 'answered', {
        hears: ['Значит, держали 1 200 запросов в секунду, а удаление дублей убрало треть ошибок.'],
      }),
      scripted: going(1, 'answered'),
    },
  ),
  ...both(
    'pushed-back-with-numbers',
    'too-little',
    {
      en: [
        turn('I did many incidents', {
          verdict: 'vague',
          text: 'Could you pick one incident and tell me in 2–3 sentences what you did?',
        }),
      ],
      ru: [
        turn('Инцидентов было много', {
          verdict: 'vague',
          text: 'Выберите, пожалуйста, один инцидент и расскажите в 2–3 предложениях, что вы сделали.',
        }),
      ],
    },
    { good: going(0, 'vague', { hears: ['2–3'] }), scripted: going(0, 'vague') },
  ),
  ...both(
    'bereaved',
    'hardship',
    {
      en: [
        turn('Sorry, my father died last week, I am slow today.', {
          verdict: 'aside',
          text: 'I am very sorry. Take all the time you need, or go on another day.',
        }),
        A.en,
      ],
      ru: [
        turn('Простите, на той неделе умер папа, я сегодня медленная.', {
          verdict: 'aside',
          text: 'Очень сочувствую. Не спешите, можно продолжить и в другой день.',
        }),
        A.ru,
      ],
    },
    { good: going(1, 'aside answered'), scripted: going(1, 'aside answered') },
  ),
  ...both(
    'ill',
    'hardship',
    {
      en: [
        turn("I'm in hospital right now, so I write slowly.", {
          verdict: 'aside',
          text: 'I am sorry to hear that. There is no hurry at all.',
        }),
        A.en,
      ],
      ru: [
        turn('Я сейчас болею, пишу медленно.', {
          verdict: 'aside',
          text: 'Сочувствую, поправляйтесь. Спешить некуда.',
        }),
        A.ru,
      ],
    },
    { good: going(1, 'aside answered'), scripted: going(1, 'aside answered') },
  ),
  ...both(
    'asks-for-an-adjustment',
    'hardship',
    {
      en: [
        turn('I have dyslexia; could somebody read the questions to me on the phone?', {
          verdict: 'question',
          asks: 'adjustment',
          text: '',
        }),
      ],
      ru: [
        turn('У меня дислексия, можно, чтобы вопросы прочитали по телефону?', {
          verdict: 'question',
          asks: 'adjustment',
          text: '',
        }),
      ],
    },
    {
      good: going(0, 'question', { attention: ['question'] }),
      scripted: going(0, 'question', { attention: ['question'] }),
    },
  ),
  ...both(
    'volunteers-protected-facts',
    'hardship',
    {
      en: [
        turn('I am 58 and a mother of three; I led the move of our archive.', {
          text: 'So you led the move of the archive.',
        }),
      ],
      ru: [
        turn('Мне 58, трое детей; руководила переездом нашего архива.', {
          text: 'Значит, переездом архива руководили вы.',
        }),
      ],
    },
    { good: going(1, 'answered'), scripted: going(1, 'answered') },
  ),
  ...both(
    'asks-about-chatgpt',
    'asks',
    {
      en: [turn('May I use ChatGPT for the answers?', { verdict: 'question', text: '' })],
      ru: [turn('Можно отвечать с помощью ChatGPT?', { verdict: 'question', text: '' })],
    },
    {
      good: going(0, 'question', { attention: ['question'] }),
      scripted: going(0, 'question', { attention: ['question'] }),
    },
  ),
  ...both(
    'pastes-code',
    'short',
    {
      en: [
        turn('function retry(n) {\n  return n > 3 ? null : call();\n}\n// mine, in production', {
          text: 'So it gives up after three tries.',
        }),
      ],
      ru: [
        turn('function retry(n) {\n  return n > 3 ? null : call();\n}\n// моё, работает в бою', {
          text: 'Значит, после трёх попыток он сдаётся.',
        }),
      ],
    },
    { good: going(1, 'answered'), scripted: going(1, 'answered') },
  ),
  ...both(
    'what-to-say',
    'meaning',
    {
      en: [
        turn('What do you want to hear?', {
          verdict: 'clarify',
          text: 'Whatever work you like to remember, and what you did in it.',
        }),
        A.en,
      ],
      ru: [
        turn('А что вы хотите услышать?', {
          verdict: 'clarify',
          text: 'Любую работу, которую приятно вспомнить, и что в ней сделали вы.',
        }),
        A.ru,
      ],
    },
    { good: going(1, 'clarify answered'), scripted: going(1, 'clarify answered') },
  ),
  ...both(
    'does-not-apply',
    'refuses',
    {
      en: [
        A.en,
        turn('This does not apply to me, I always worked alone.', {
          text: 'I see, you have always worked alone.',
        }),
      ],
      ru: [
        A.ru,
        turn('Ко мне это не относится, я всегда работала одна.', {
          text: 'Понятно, вы всегда работали одна.',
        }),
      ],
    },
    { good: going(2, 'answered answered'), scripted: going(2, 'answered answered') },
  ),
  ...both(
    'two-at-once',
    'touched-on',
    {
      en: [
        turn('The tax import; and we argued whether to buy it, so I compared both costs.', {
          touches: '2',
          text: 'So you compared what buying and building it would cost.',
        }),
      ],
      ru: [
        turn('Импорт налогов; спорили, купить ли его, и я сравнила обе цены.', {
          touches: '2',
          text: 'Значит, вы сравнили цену покупки и своей разработки.',
        }),
      ],
    },
    { good: going(1, 'answered', { labels: ['answer project touches conflict'] }) },
  ),
  ...both(
    'voice-noise',
    'short',
    {
      en: [
        turn('uh so I I led the the migration of of billing you know', {
          text: 'So you led the migration of the billing.',
        }),
      ],
      ru: [
        turn('ну это э я вела вела миграцию биллинга значит', {
          text: 'Значит, миграцию биллинга вели вы.',
        }),
      ],
    },
    { good: going(1, 'answered'), scripted: going(1, 'answered') },
  ),
  ...both(
    'back-to-an-earlier-question',
    'forgot',
    {
      en: [
        A.en,
        B.en,
        turn('Back to question 2: in the end we kept the tests.', {
          verdict: 'addition',
          about: '2',
          text: 'Thank you, so the tests stayed in the end.',
        }),
      ],
      ru: [
        A.ru,
        B.ru,
        turn('Вернусь к вопросу 2: тесты мы в итоге оставили.', {
          verdict: 'addition',
          about: '2',
          text: 'Спасибо, значит, тесты в итоге остались.',
        }),
      ],
    },
    {
      good: going(2, 'answered answered addition', {
        labels: ['answer project', 'answer conflict', 'addition conflict'],
      }),
      scripted: going(2, 'answered answered addition', {
        labels: ['answer project', 'answer conflict', 'addition conflict'],
      }),
    },
  ),
  ...both(
    'model-repeats-the-next-question',
    'answers',
    {
      en: [
        turn('I rebuilt our search and halved its cost.', {
          text: 'So the search costs half of what it did. Can you tell me about a time you disagreed with a teammate?',
        }),
      ],
      ru: [
        turn('Переделала поиск, он стал вдвое дешевле.', {
          text: 'Значит, поиск стал вдвое дешевле. Расскажите, пожалуйста, о случае, когда вы не согласились с коллегой?',
        }),
      ],
    },
    { good: going(1, 'answered'), scripted: going(1, 'answered') },
  ),
  ...both(
    'model-only-clarifies',
    'meaning',
    {
      en: [
        turn('The payroll, which I took over from a colleague.', {
          verdict: 'clarify',
          text: 'Any work that you like to remember.',
        }),
        turn('As I said, the payroll; I rewrote it in a year.', {
          verdict: 'clarify',
          text: 'It may be any project of yours.',
        }),
        turn('The payroll. I cannot say more about it.', { verdict: 'clarify' }),
      ],
      ru: [
        turn('Расчёт зарплат, который приняла от коллеги.', {
          verdict: 'clarify',
          text: 'Подойдёт любая работа, которую приятно вспомнить.',
        }),
        turn('Говорю же, расчёт зарплат; за год переписала.', {
          verdict: 'clarify',
          text: 'Это может быть любой ваш проект.',
        }),
        turn('Расчёт зарплат. Больше добавить нечего.', { verdict: 'clarify' }),
      ],
    },
    { good: going(1, 'clarify clarify answered') },
  ),
];
