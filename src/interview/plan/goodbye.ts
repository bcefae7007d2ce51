import { normalised, phrasesOf } from './words';

/*
 * Thanks, a goodbye, and "no questions" after the end of an interview: whole messages of such words, in
 * either language.
 */

const PARTING: readonly string[] = [
  '(?:many |great )?(?:thanks|thank you|thx)(?: (?:all|again|a lot|so much|very much|too|as well))*',
  '(?:i )?(?:really )?appreciate (?:it|this|that|your time)',
  'for (?:your|the|this|all the|all your) (?:time|interview|chat|conversation|questions|opportunity|attention|help)',
  'for (?:having me|everything|now|this)',
  "(?:that is|that's|thats|that was|this is|this was) (?:all|it)(?: from me| from my side)?",
  'it was (?:a pleasure|nice|great|lovely)(?: talking to you| to talk(?: to you)?| speaking with you)?',
  '(?:nice|great|lovely) (?:talking to|to talk to|speaking with) you',
  'bye(?: bye)?|good ?bye|good night|see you(?: soon| later)?|take care|cheers|talk (?:to you )?soon',
  '(?:(?:i )?wish you |have )(?:an? )?(?:nice|good|great|lovely|wonderful) (?:day|evening|week|weekend|one|night|time)',
  'you too|same to you|likewise|good luck|all the best|best wishes|(?:(?:best|kind|warm) )?regards',
  "(?:i am |i'm |im )?looking forward(?: to (?:it|hearing from you|your reply|your answer|the reply))?",
  '(?:большое |огромное )?(?:(?:и )?вам )?(?:спасибо|благодарю|спс)(?: (?:еще раз|большое|огромное|и вам|вам|вас|тебе|всем))*',
  'за (?:ваше |уделенное |потраченное |ваше уделенное )?(?:время|интервью|беседу|разговор|общение|вопросы|внимание|возможность|помощь)',
  '(?:это|вот и|на этом|у меня) все(?: с моей стороны| от меня)?',
  'до (?:свидания|встречи|связи|скорого)|пока|прощайте|увидимся|на связи',
  '(?:(?:и )?вам )?(?:всего|хорошего|хороших|приятного|отличного|доброго) (?:доброго|хорошего|наилучшего|лучшего|дня|вечера|выходных|утра)(?: вам)?',
  'взаимно|(?:и )?вам (?:тоже|того же)|и вам|удачи(?: вам)?|с уважением',
  '(?:я )?(?:очень )?(?:буду ждать|жду)(?: (?:вашего )?(?:ответа|решения|обратной связи))?',
  '(?:было |был |была )?(?:очень )?(?:приятно|рада?)(?: был| была)?(?: пообщаться| поговорить| познакомиться)?(?: с вами)?',
];
const NOTHING =
  "(?:no|nope|nothing(?: else)?|(?:no|none)(?: more| further)? questions|i'm good|нет|ничего|вопросов нет|нет вопросов|(?:больше )?вопросов (?:больше )?нет)";
const UNDERSTOOD =
  'ok|okay|great|perfect|cool|nice|super|sure|got it|understood|noted|sounds good|all good|well|hi|hello|and|ок|окей|хорошо|отлично|супер|класс|поняла?|(?:все )?(?:понятно|ясно)|принято|договорились|здравствуйте|и|у меня';

const GOODBYES = phrasesOf([...PARTING, NOTHING], UNDERSTOOD);
const COURTESIES = phrasesOf([...PARTING, UNDERSTOOD], UNDERSTOOD);

/** The text is nothing but thanks, a goodbye or "no questions". */
export function isGoodbye(text: string): boolean {
  return GOODBYES.test(normalised(text));
}

/** The text is nothing but thanks, a goodbye, a word that it was understood, or signs as 👍: no answer to anything. */
export function isCourtesy(text: string): boolean {
  const plain = normalised(text);
  if (text.includes('?')) return false;
  return plain === '' ? text.trim() !== '' : COURTESIES.test(plain);
}
