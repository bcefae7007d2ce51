/** A longer message may be an answer as well. In UTF-16 units. */
const LONGEST = 120;

const SOMEBODY_EN =
  'father|dad|mother|mom|mum|parents?|wife|husband|partner|son|daughter|child|baby|brother|sister|grand(?:father|mother|pa|ma)|uncle|aunt|friend';
const SOMEBODY_RU =
  'пап[аы]|отец|отца|мам[аы]|мать|матери|муж|мужа|жен[аы]|сын|сына|доч(?:ь|ери|ка|ки)|реб[её]нок|реб[её]нка|брат|брата|сестр[аы]|бабушк[аи]|дедушк[аи]|дяд[яи]|т[её]т[яи]|друг|друга|подруг[аи]';
const DIED_RU = 'умер|умерла|умерли|скончался|скончалась|не стало';
/** Nothing but the end of a clause follows: "I'm in hospital management" and "I am ill at ease" are answers. */
const END =
  '(?= *(?:$|[.,;:!?…\\n]|(?:and|so|but|today|now|right now|at the moment|this|last|а|и|но) ))';

/** What hurts: somebody has died, or the candidate is ill. */
const FORMS = [
  `(?<!\\p{L})my (?:${SOMEBODY_EN}) (?:(?:has|have|had|just|suddenly) )*(?:died|passed away)(?!\\p{L})`,
  `(?<!\\p{L})(?:i am|i['’]m|i was) (?:just |still |very )?(?:ill|sick|in (?:the )?hospital|at (?:a|the) funeral)(?: right now)?${END}`,
  `(?<!\\p{L})(?:${DIED_RU}) (?:мо\\p{L}+ )?(?:${SOMEBODY_RU})(?!\\p{L})`,
  `(?<!\\p{L})(?:${SOMEBODY_RU}) (?:${DIED_RU})(?!\\p{L})`,
  `(?<!\\p{L})я (?:(?:сейчас|сильно|опять|ещ[её]) )?(?:болею|заболел|заболела)${END}`,
  `(?<!\\p{L})(?:лежу|лежала?) (?:в больнице|с гриппом|с температурой)${END}`,
].map((form) => new RegExp(form, 'iu'));

/** A short message of a loss or an illness, for the interviewer without a model. */
export function isHardship(text: string): boolean {
  return text.length <= LONGEST && FORMS.some((form) => form.test(text));
}
