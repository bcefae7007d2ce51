import { z } from 'zod';
import { type ModelRequest, objectIn } from '../llm';
import type { InterviewPlan } from '../vacancies';
import type { EvidenceMessage } from './evidence';
import { LATE_PROMPT } from './score-prompts';

/*
 * What candidates write after the end. Thanks and goodbyes are asides, known without a model; of everything
 * else one request asks to which questions it belongs, so that only those are rated again.
 */

const THANKS: readonly string[] = [
  '(?:many )?(?:thanks|thx)(?: again| a lot| so much| very much)?',
  'thank you(?: all| again)?(?: so much| very much)?(?: again)?',
  'cheers',
  'i appreciate (?:it|this|that|your time)',
  'for (?:your|the|this|all the|all your) (?:time|interview|chat|conversation|questions|opportunity|attention|help)',
  'for (?:having me|everything|now|this)',
  '(?:that is|that’s|thats|that was|this is|this was) (?:all|it)(?: from me| from my side)?',
  'it was (?:a pleasure|nice|great|lovely)(?: talking to you| to talk(?: to you)?| speaking with you)?',
  '(?:nice|great|lovely) (?:talking to|to talk to|speaking with) you',
  'bye(?: bye)?|good ?bye|see you(?: soon| later)?|take care|talk (?:to you )?soon',
  '(?:i wish you |have )(?:a |an )?(?:nice|good|great|lovely|wonderful) (?:day|evening|week|weekend|one|night|time)',
  '(?:you too|same to you|likewise|good luck|all the best|best wishes)',
  '(?:best|kind|warm)? ?regards',
  '(?:i am |i’m |im )?looking forward(?: to (?:it|hearing from you|your reply|your answer|the reply))?',
  'ok|okay|great|perfect|cool|nice|super|sure|got it|understood|noted|sounds good|hi|hello|and',
];
const THANKS_RU: readonly string[] = [
  '(?:большое |огромное )?(?:спасибо|благодарю|спс)(?: еще раз)?(?: большое| огромное)?(?: вам| тебе| всем)?(?: еще раз| большое| огромное)?',
  'за (?:ваше |уделенное |потраченное |ваше уделенное )?(?:время|интервью|беседу|разговор|общение|вопросы|внимание|возможность|помощь)',
  '(?:это|вот и|на этом|у меня) все(?: с моей стороны| от меня)?',
  'до (?:свидания|встречи|связи|скорого)|пока|прощайте|увидимся|на связи',
  '(?:вам )?(?:всего|хорошего|приятного|отличного|доброго) (?:доброго|хорошего|наилучшего|лучшего|дня|вечера|дня вам|выходных|утра)(?: вам)?',
  'взаимно|и вам(?: тоже)?|вам тоже|удачи(?: вам)?|с уважением',
  '(?:я )?(?:очень )?(?:буду ждать|жду)(?: (?:вашего )?(?:ответа|решения|обратной связи))?',
  '(?:было |был |была )?(?:очень )?(?:приятно|рад|рада)(?: был| была)?(?: пообщаться| поговорить| познакомиться)?(?: с вами)?',
  'ок|окей|хорошо|отлично|супер|класс|понял|поняла|(?:все )?(?:понятно|ясно)|принято|договорились|здравствуйте|и',
];
const ONLY_THANKS = new RegExp(`^(?:(?:${[...THANKS, ...THANKS_RU].join('|')})(?: |$))+$`, 'u');
const LONGEST_THANKS = 200;

/** The text is nothing but thanks, a goodbye, or a word that it was understood. */
export function isThanks(text: string): boolean {
  if (text.length > LONGEST_THANKS || /\?/.test(text)) return false;
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/['`´‘]/g, '’')
    .replace(/[^\p{L}\p{N}’]+/gu, ' ')
    .trim();
  // Only signs, as 👍 or :), say nothing about an answer.
  return plain === '' ? text.trim() !== '' : ONLY_THANKS.test(plain);
}

/** A request that names the questions of late messages. */
export interface LateRequest {
  readonly request: Omit<ModelRequest, 'tools'>;
  /** By message the questions that it belongs to. Null: the output cannot be used. */
  readonly read: (output: string) => ReadonlyMap<string, readonly string[]> | null;
}

const MAX_OUTPUT_TOKENS = 700;
/** Of one question and of one message, in UTF-16 units: enough to see what it is about. */
const LONGEST_QUESTION = 300;
const LONGEST_MESSAGE = 2000;
const MOST_MESSAGES = 50;

const SCHEMA = {
  name: 'late_messages',
  jsonSchema: {
    type: 'object',
    properties: {
      messages: {
        type: 'array',
        maxItems: MOST_MESSAGES,
        items: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            questions: { type: 'array', items: { type: 'string' } },
          },
          required: ['id', 'questions'],
          additionalProperties: false,
        },
      },
    },
    required: ['messages'],
    additionalProperties: false,
  },
};

const output = z.object({
  messages: z.array(z.object({ id: z.string(), questions: z.array(z.string()).catch([]) })),
});

/** `answered`: the ids of the questions that have an answer. More messages than one request takes are left. */
export function lateRequest(
  plan: InterviewPlan,
  answered: readonly string[],
  late: readonly EvidenceMessage[],
): LateRequest {
  const questions = plan.questions.filter(({ id }) => answered.includes(id));
  const messages = late.slice(0, MOST_MESSAGES);
  const content = JSON.stringify({
    questions: questions.map(({ text }, index) => ({
      id: `q${String(index + 1)}`,
      text: text.slice(0, LONGEST_QUESTION),
    })),
    messages: messages.map(({ text }, index) => ({
      id: `m${String(index + 1)}`,
      text: text.slice(0, LONGEST_MESSAGE),
    })),
  });
  return {
    request: {
      system: LATE_PROMPT.text,
      messages: [{ role: 'user', content }],
      schema: SCHEMA,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
    },
    read: (text) => {
      const given = messages.map((message) => message.text);
      const read = objectIn(text, (value) => output.safeParse(value).data ?? null, given);
      if (read === null) return null;
      const placed = read.messages.flatMap(({ id, questions: names }) => {
        const message = messages[indexIn(id)];
        if (message === undefined) return [];
        const found = names.flatMap((name) => questions[indexIn(name)]?.id ?? []);
        // A name that exists nowhere is a mistake, not the word that it belongs to none.
        if (found.length === 0 && names.length > 0) return [];
        return [[message.id, [...new Set(found)]] as const];
      });
      return new Map(placed);
    },
  };
}

/** `m2`, `[M2]` and `2` are the second one; -1: none. */
function indexIn(name: string): number {
  const digits = /^\W*[mq]?(\d{1,3})\W*$/i.exec(name)?.[1];
  return digits === undefined ? -1 : Number(digits) - 1;
}
