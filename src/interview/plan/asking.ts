import { isAsking } from './phrases';
import { normalised } from './words';

/*
 * What an answer asks besides, where no model says whether it does: the last sentence, or another one that
 * plainly asks about the job. "What was wrong? The index." asks nobody.
 */

const TOPICS_EN =
  'lunch|food|meals?|salary|pay|overtime|bonus(?:es)?|office|team|company|job|work|position|role|training|insurance|vacation|holidays?|leave|parking|relocation|visa|schedule|contract|probation|mentor';
const TOPICS_RU =
  'обед\\p{L}*|питани\\p{L}+|проезд|отпуск\\p{L}*|больничн\\p{L}+|переработк\\p{L}+|обучени\\p{L}+|зарплат\\p{L}+|преми\\p{L}+|офис\\p{L}*|график\\p{L}*|страховк\\p{L}+|дмс|команд\\p{L}+|компани\\p{L}+|работ[аеуы]|ваканси\\p{L}+|наставник\\p{L}*|испытательн\\p{L}+|удаленк\\p{L}+';
const FIRST = '^(?:(?:and|also|but|so|by the way|sorry|а|и|но|кстати|еще|простите) )*';
/** The order of its words asks, also without a question mark. */
const INVERTED = new RegExp(
  `${FIRST}(?:(?:is|are|does|do|will|would|can) (?:(?:the|your|any|an?) )*(?:${TOPICS_EN}|it|there|you) \\p{L}|(?:есть|будет|можно) ли |(?:${TOPICS_RU}) (?:(?:у вас|там) )?(?:оплачива\\p{L}+|компенсиру\\p{L}+|предусмотрен\\p{L}*|положен\\p{L}*)$)`,
  'u',
);
const OPENS = new RegExp(
  `${FIRST}(?:what|how|when|where|which|who|сколько|как\\p{L}*|когда|где|кто|что|есть|будет)(?= ).*(?<!\\p{L})(?:you|your|${TOPICS_EN}|вы|вас|ваш\\p{L}*|${TOPICS_RU})(?!\\p{L})`,
  'u',
);
/** It tells what the candidate did. */
const TELLS =
  /(?<!\p{L})(?:i|we|my|our|did|was|were|had|я|мы|мой|моя|наш\p{L}*|нас|\p{L}{2,}(?:л|ла|ло|лись|лся|лась))(?!\p{L})/u;

/** "You know?" at the end of an answer wants no reply. */
const RHETORICAL =
  /(?<!\p{L})(?:you know(?: what i mean)?|right|isn[’']t it|ok|okay|makes sense|get it|see|понимаете|знаете|верно|не так ли|правда|да|ясно|понятно(?: объясняю)?)\?["')»\s]*$/iu;

/** The answer asks something that wants a reply. */
export function isAskingToo(text: string): boolean {
  if (isAsking(text) && !RHETORICAL.test(text)) return true;
  return (text.match(/[^.!?…\n]+[.!?…]*/gu) ?? []).some((sentence) => {
    const plain = normalised(sentence);
    if (TELLS.test(plain)) return false;
    return INVERTED.test(plain) || (sentence.endsWith('?') && OPENS.test(plain));
  });
}
