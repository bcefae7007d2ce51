import { normalised, phrasesOf } from './words';

/**
 * A message that is no answer and asks for nothing: a greeting, thanks, "one second", an apology, a joke.
 * `other`: a model takes it for one, and no phrase says which.
 */
export type Aside = 'greeting' | 'thanks' | 'wait' | 'apology' | 'other';

const THANKED_FOR_EN =
  'for (?:the |your |that |this |all )?(?:help|explanation|clarification|answer|reply|info|information|time|patience|understanding|invitation|opportunity|clarifying|explaining|waiting|telling me|letting me know|inviting me|having me)';
const THANKED_FOR_RU =
  'за (?:ответ|помощь|пояснение|разъяснение|объяснение|уточнение|информацию|приглашение|терпение|понимание|ожидание|возможность|время|вопрос)';
const A_MOMENT = '(?:sec|second|seconds|moment|moments|minute|minutes|min|mins)';
const SORRY_FOR_EN =
  '(?:about|for) (?:that|this|it|(?:the |my |a )?(?:late|slow|long|short)? ?(?:delay|wait|reply|answer|typo|typos|mess|confusion|silence|interruption|mistake|mistakes|english|spelling)|being late|keeping you waiting|replying late)';
const SORRY_FOR_RU =
  '(?:за (?:задержку|ожидание|опечатк[иу]|долгий ответ|поздний ответ|молчание|паузу|беспокойство|сумбур|ошибки|это)|что (?:так )?(?:долго|поздно)|что (?:задержал(?:ся|ась)|отвлек(?:ся|лась)|заставила? ждать))';

/**
 * Whole messages, in either language. What could be an answer to a question that asks for a yes or a time
 * ("ok", "ready", "now", "two minutes") is none of them.
 */
const FORMS: Readonly<Record<Aside, readonly string[]>> = {
  greeting: [
    '(?:hi|hello|hey|greetings|howdy)(?: there| again| everyone| all| team)?',
    'good (?:morning|afternoon|evening|day)',
    '(?:nice|good|great|pleased|glad) to (?:meet you|be here)(?: too)?',
    "how(?:'re| are) you(?: doing)?(?: today)?|how's it going",
    "(?:let's|lets) (?:start|begin|go|get started)",
    '(?:всем )?(?:здравствуйте|здрасьте|привет|приветствую|приветик|хай)',
    'добр(?:ый|ого) (?:день|вечер|утро|дня|вечера|времени суток)|доброе утро',
    '(?:очень )?приятно(?: познакомиться)?|(?:очень )?рада? (?:знакомству|познакомиться|вас видеть)',
    'как (?:ваши |у вас )?дела|как поживаете',
    '(?:давайте )?(?:начнем|приступим)|поехали',
  ],
  thanks: [
    `(?:many )?(?:thanks|thank you|thx|cheers)(?: so much| very much| a lot| again)*(?: ${THANKED_FOR_EN})?`,
    '(?:i )?(?:really )?appreciate (?:it|that)|much appreciated',
    `(?:большое |огромное )?спасибо(?: большое| огромное| вам| ${THANKED_FOR_RU})*`,
    `благодарю(?: вас)?(?: ${THANKED_FOR_RU})?|спс`,
  ],
  wait: [
    `(?:just )?(?:one|a|1) ${A_MOMENT}`,
    `(?:give|allow) me (?:just )?(?:a|one|another|a few|a couple of|some) (?:${A_MOMENT}|time)(?: to (?:think|recall|remember|check|look))?(?: about (?:it|this|that))?`,
    `(?:let me|i need to|i have to|i'll|i will|need to) (?:just )?(?:think|recall|remember)(?: (?:about|on) (?:it|this|that)|(?: for)? a (?:bit|while|${A_MOMENT}))*`,
    `let me (?:just )?(?:check|look)(?: (?:it up|it|that|this))?(?: for a ${A_MOMENT})?`,
    `i need (?:a|one|some|another) (?:${A_MOMENT}|time)(?: to (?:think|recall|remember))?`,
    "(?:i'm |i am )?(?:still )?thinking(?: about (?:it|this|that))?",
    `(?:hold|hang) on|(?:please )?wait(?: a ${A_MOMENT})?|bear with me|brb`,
    `(?:i'll |i will )?be (?:right )?back(?: in a ${A_MOMENT})?`,
    "(?:that's a |that is a )?(?:good|great|interesting|tough|hard|tricky) question",
    'got it|i see|understood|hm+|um+|uh+',
    '(?:одну )?(?:секунду|секундочку|сек|минуту|минутку|минуточку|момент)|один момент',
    '(?:дайте|дай)(?: мне)? (?:еще )?(?:одну |пару |немного |несколько )?(?:секунд[уы]?|секундочку|минут[уы]?|минутку|минуточку|времени|время)(?: (?:подумать|вспомнить))?',
    '(?:дайте|позвольте|надо|нужно|мне надо|мне нужно|можно)(?: мне)? (?:немного |минутку |минуту |секунду )?(?:подумать|вспомнить|собраться с мыслями)',
    'мне нужн[аоы] (?:секунда|минута|минутка|пара минут|пара секунд|время|немного времени)(?: (?:подумать|вспомнить))?',
    '(?:я )?(?:сейчас|щас) (?:подумаю|вспомню|отвечу|напишу|вернусь|посмотрю|соберусь с мыслями)',
    '(?:я )?(?:еще )?думаю|скоро вернусь',
    '(?:подождите|погодите)(?: (?:секунду|минуту|минутку|немного))?',
    '(?:хороший|интересный|сложный|непростой|отличный) вопрос',
    '(?:все )?(?:понятно|ясно)|(?:я )?(?:все )?(?:понял|поняла)(?: вас| вопрос)?|хм+|эм+',
  ],
  apology: [
    `(?:i'm |i am )?(?:so |very |really )?sorry(?: ${SORRY_FOR_EN})?`,
    `(?:my )?apologies(?: ${SORRY_FOR_EN})?|i apologi[sz]e(?: ${SORRY_FOR_EN})?`,
    'my bad|oops|whoops|excuse me|pardon(?: me)?',
    '(?:i )?(?:was|got) (?:away|distracted|interrupted)|wrong (?:chat|window)',
    `(?:извините|простите|прошу прощения|сорри|сори|пардон|извиняюсь|мои извинения)(?: меня| ${SORRY_FOR_RU})*`,
    '(?:меня )?отвлекли|(?:я )?отвлек(?:ся|лась)|не туда|ой|упс',
  ],
  other: [
    "(?:i am |i'm )?(?:just )?(?:joking|kidding)|lol|rofl|he(?:he)+|a?(?:ha){2,}h?|ha(?: ha)+",
    '(?:я |это )?(?:шучу|шутка)|лол|а?(?:ха){2,}х?|ха(?: ха)+|хе(?:хе)+|хи(?:хи)+',
  ],
};

const ALL = phrasesOf(
  Object.values(FORMS).flat(),
  'please|well|oh|ah|and|so|пожалуйста|ну|и|а|ой|так',
);

/** What a message with several of them is replied to first. */
const FIRST: readonly Aside[] = ['wait', 'apology', 'greeting', 'thanks', 'other'];
const KINDS = FIRST.map(
  (kind) => [kind, new RegExp(`(?:^| )(?:${FORMS[kind].join('|')})(?: |$)`, 'u')] as const,
);

/** Which aside the whole text is; null: none that has a fixed phrase. */
export function plainAsideOf(text: string): Aside | null {
  const plain = normalised(text);
  if (!ALL.test(plain)) return null;
  return KINDS.find(([, forms]) => forms.test(plain))?.[0] ?? 'other';
}
