/**
 * Thanks, a goodbye, and "no questions" after the end of an interview: whole messages of such words, in
 * either language.
 */
const THANKS =
  '(?:(?:many |great )?(?:thanks|thank you)(?: (?:a lot|so much|very much|again|too|as well|for (?:your|the) (?:time|interview|chat|conversation)))*|(?:(?:и )?вам )?спасибо(?: (?:большое|огромное|и вам|вам|за (?:время|интервью|беседу|разговор|уделенное время)))*|благодарю(?: вас)?)';
const GOODBYE =
  '(?:(?:good)?bye|good night|see you(?: soon| later)?|take care|cheers|(?:have|wish you) an? (?:nice|good|great|lovely) (?:day|evening|weekend|night|one)|(?:and )?you too|all the best|до свидания|до встречи|всего (?:доброго|хорошего|наилучшего)|пока|удачи|(?:хорошего|приятного|доброго|отличного) (?:дня|вечера)|хороших выходных|(?:и )?вам (?:тоже|того же)|взаимно)';
const NOTHING =
  "(?:no|nope|nothing(?: else)?|(?:no|none)(?: more| further)? questions|that(?:'s| is) (?:all|it)|i'm good|нет|ничего|вопросов нет|нет вопросов|(?:больше )?вопросов (?:больше )?нет|это все)";
const FILLER =
  '(?:ok|okay|great|perfect|nice|well|and|all good|ок|окей|хорошо|отлично|понятно|ясно|и|у меня)';
const FORM = `(?:${THANKS}|${GOODBYE}|${NOTHING})`;
const GOODBYES = new RegExp(`^(?:${FILLER} )*${FORM}(?: (?:${FILLER}|${FORM}))*$`, 'u');

/** Longer than any goodbye. */
const LONGEST = 120;

/** `plain`: as `normalised` in phrases.ts makes it. */
export function isGoodbyeWords(plain: string): boolean {
  return plain.length <= LONGEST && GOODBYES.test(plain);
}
