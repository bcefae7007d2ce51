/** A longer message may be an answer as well. In UTF-16 units. */
const LONGEST = 120;
/** The same of a wish with its reason. */
const LONGEST_WISH = 300;

const SOMEBODY_EN =
  'father|dad|mother|mom|mum|parents?|wife|husband|partner|son|daughter|child|baby|brother|sister|grand(?:father|mother|pa|ma)|uncle|aunt|friend';
const SOMEBODY_RU =
  'пап[аы]|отец|отца|мам[аы]|мать|матери|муж|мужа|жен[аы]|сын|сына|доч(?:ь|ери|ка|ки)|реб[её]нок|реб[её]нка|брат|брата|сестр[аы]|бабушк[аи]|дедушк[аи]|дяд[яи]|т[её]т[яи]|друг|друга|подруг[аи]';
const DIED_RU = 'умер|умерла|умерли|скончался|скончалась|не стало';
/** Nothing but the end of a clause follows: "I'm in hospital management" and "I am ill at ease" are answers. */
const END =
  '(?= *(?:$|[.,;:!?…\\n]|(?:and|so|but|today|now|right now|at the moment|this|last|а|и|но)(?!\\p{L})))';

/** What hurts: somebody has died, or the candidate is ill. */
export type Hardship = 'loss' | 'illness';

/** A message with both is of a loss. */
const FORMS: readonly (readonly [Hardship, RegExp])[] = (
  [
    [
      'loss',
      `(?<!\\p{L})my (?:${SOMEBODY_EN}) (?:(?:has|have|had|just|suddenly) )*(?:died|passed away)(?!\\p{L})`,
    ],
    ['loss', `(?<!\\p{L})(?:i am|i['’]m|i was) at (?:a|the) funeral${END}`],
    ['loss', `(?<!\\p{L})(?:${DIED_RU}) (?:мо\\p{L}+ )?(?:${SOMEBODY_RU})(?!\\p{L})`],
    ['loss', `(?<!\\p{L})(?:${SOMEBODY_RU}) (?:${DIED_RU})(?!\\p{L})`],
    [
      'illness',
      `(?<!\\p{L})(?:i am|i['’]m|i was) (?:just |still |very )?(?:ill|sick|in (?:the )?hospital)(?: right now)?${END}`,
    ],
    [
      'illness',
      `(?<!\\p{L})я (?:(?:сейчас|сильно|опять|ещ[её]) )?(?:болею|заболел|заболела)${END}`,
    ],
    ['illness', `(?<!\\p{L})(?:лежу|лежала?) (?:в больнице|с гриппом|с температурой)${END}`],
  ] as const
).map(([kind, form]) => [kind, new RegExp(form, 'iu')] as const);

/** What a short message tells of, for the interviewer without a model; null: no such thing. */
export function hardshipOf(text: string): Hardship | null {
  if (text.length > LONGEST) return null;
  return FORMS.find(([, form]) => form.test(text))?.[0] ?? null;
}

/** "I have dyslexia": the candidate says so of themselves. */
const NEED = new RegExp(
  [
    "(?<!\\p{L})(?:i have|i['’]ve got|i am|i['’]m|as|due to|because of|with) (?:(?:a|an|my|severe|mild|very|quite|partially|legally|hard|some) )*(?:dyslexi[ac]|disabilit(?:y|ies)|disabled|deaf|blind|hard of hearing|hearing (?:loss|impair\\p{L}+)|visual(?:ly)? impair\\p{L}+|visual impairment|low vision|stutter|stammer|adhd|autis(?:m|tic)|epilep(?:sy|tic)|arthritis|rsi|a wheelchair user|wheelchair user|migraines?)(?!\\p{L})",
    '(?<!\\p{L})i use a screen reader(?!\\p{L})',
    '(?<!\\p{L})(?:у меня|я|из-за|по) (?:(?:моей|моего|есть|сильная|сильный|немного|частично) )*(?:дислекси[яи]|дислектик|инвалидност[ьи]|инвалид|глух(?:ой|ая)|слеп(?:ой|ая)|незряч(?:ий|ая)|слабовидящ(?:ий|ая)|слабослышащ(?:ий|ая)|плохо (?:слышу|вижу)|заикание|заикания|заикаюсь|сдвг|аутизм|эпилепси[яи]|мигрен[ьи]|на коляске)(?!\\p{L})',
  ].join('|'),
  'iu',
);
const WISH =
  /(?<!\p{L})(?:(?:can|could|may) (?:i|we|you|some(?:one|body)|it|this|the)|(?:is|would) it (?:be )?(?:possible|ok|okay|fine|all right)|is there (?:a|any) way|(?:i|and) (?:would )?need|i['’]d need|please|можно(?! было)|могли бы|могу ли|нельзя ли|получится ли|прошу|пожалуйста|мне (?:бы )?(?:нуж(?:н\p{L}+|ен)|понадобится)|больше времени)(?!\p{L})/iu;
/** Named as such: nobody has to say why. */
const ADJUSTMENT =
  /(?<!\p{L})(?:i (?:would )?need|i['’]d need|can i (?:have|get|ask for)|could i (?:have|get|ask for)|may i (?:have|get|ask for)|i (?:would like to |want to )?(?:ask for|request)) (?:an? |some |any )?(?:reasonable )?(?:adjustments?|accommodations?)(?!\p{L})/iu;

/** The candidate asks to do the interview or the job another way for health or disability. */
export function isForAdjustment(text: string): boolean {
  if (text.length > LONGEST_WISH) return false;
  return ADJUSTMENT.test(text) || (NEED.test(text) && WISH.test(text));
}
