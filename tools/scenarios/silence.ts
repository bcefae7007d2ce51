import { A, B, both, going, silence } from './words';
import type { Ending, Scenario } from './scenario';

const BACK = going(2, 'answered answered', { reminders: 1 });
const ENDED = { status: 'expired', reminders: 2 } as const;
const AWAY: Ending = { ...going(1, 'answered'), ...ENDED, attention: ['silent'] };
/** The message is kept, and a person hears of it. */
const TOO_LATE: Ending = { ...going(0, 'code'), ...ENDED, attention: ['silent', 'handed_over'] };

/** Candidates who do not answer for days. */
export const SILENT: readonly Scenario[] = [
  ...both(
    'comes-back',
    'silent',
    {
      en: [A.en, { ...B.en, silentDays: 2 }],
      ru: [A.ru, { ...B.ru, silentDays: 2 }],
    },
    { good: BACK, scripted: BACK },
  ),
  ...both(
    'stays-away',
    'silent',
    { en: [A.en, silence(10)], ru: [A.ru, silence(10)] },
    { good: AWAY, scripted: AWAY },
  ),
  ...both(
    'comes-too-late',
    'silent',
    {
      en: [silence(10, 'Sorry, I was ill. I would still like to go on.')],
      ru: [silence(10, 'Извините, лежал с гриппом. Хотелось бы всё-таки продолжить.')],
    },
    { good: TOO_LATE, scripted: TOO_LATE },
  ),
];
