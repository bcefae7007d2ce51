import { mayAsk } from './phrases';

/** A longer message is an answer. In UTF-16 units. */
const LONGEST = 300;

const CONDITIONS = [
  /(?<!\p{L})(?:i have|i['’]ve got|because of my|due to my|with my)(?: (?:a|an|mild|severe|slight|form|of)){0,3} (?:dyslexia|dyscalculia|adhd|autism|epilepsy|hearing loss|stutter|stammer|disability)(?!\p{L})/iu,
  /(?<!\p{L})(?:i['’]m|i am)(?: (?:also|very|quite|partly|partially|nearly|a bit))* (?:dyslexic|autistic|epileptic|blind|deaf|hard of hearing|visually impaired|disabled|in a wheelchair|colou?r[- ]?blind)(?!\p{L})/iu,
  /(?<!\p{L})(?:reasonable )?(?:adjustments?|accommodations?) (?:for|because of|due to) my (?:disability|health|condition|illness)(?!\p{L})|(?<!\p{L})i use a screen reader(?!\p{L})|(?<!\p{L})sign language interpreter(?!\p{L})/iu,
  /(?<!\p{L})(?:у меня|я|из-за|с моей|с моим)(?: \p{L}+){0,2} (?:дислекси\p{L}+|дискалькули\p{L}+|сдвг|аутизм\p{L}*|эпилепси\p{L}+|незряч\p{L}+|слаб\p{L}*вид\p{L}+|слабослышащ\p{L}+|глух(?:ой|ая|оты)|инвалидност\p{L}+|дальтони\p{L}+|заикани\p{L}+|заикаюсь)(?!\p{L})/iu,
  /(?<!\p{L})(?:у меня|я) (?:очень )?(?:плохо (?:вижу|слышу)|плохое зрение|плохой слух|нарушени\p{L}+ (?:зрения|слуха|речи))(?!\p{L})|(?<!\p{L})(?:экранн\p{L}+ диктор\p{L}*|сурдопереводчик\p{L}*|переводчик\p{L}* жестового)(?!\p{L})/iu,
];

const NEEDS =
  /(?<!\p{L})(?:needs?|i(?:['’]d| would) (?:like|prefer)|please|more time|extra time|нуж(?:ен|на|но|ны)|прошу|пожалуйста|можно|нельзя ли|больше времени)(?!\p{L})/iu;

/**
 * A short message of a candidate who needs the interview another way for their health: what it is, and the wish.
 * For the interviewer without a model, and for a model that does not say.
 */
export function isAdjustment(text: string): boolean {
  if (text.length > LONGEST || !CONDITIONS.some((form) => form.test(text))) return false;
  return NEEDS.test(text) || mayAsk(text);
}
