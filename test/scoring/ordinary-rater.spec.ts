import path from 'node:path';
import { normalised } from '../../src/scoring/evidence';
import type { CriterionReading, FactReading } from '../../src/scoring/sample-reader';
import { type ScoreItem, itemsOf, requestOf } from '../../src/scoring/score-request';
import { SAMPLES, criterionResult, factResult, markOf } from '../../src/scoring/scorecard';
import { readVacancyFile, rubricOf } from '../../src/vacancies';
import { ANSWERS } from '../../tools/demo/answers';
import { plantedMark, ratingOf } from '../../tools/fake-model/raters';

/**
 * A model quotes as models do: with straight quotation marks, hyphens, plain spaces and a capital first letter,
 * in a fence or behind reasoning, and calls messages as the prompt does. Of the answers to both examples,
 * as they are and as phones and word processors set them, hardly one may be left without a rating.
 */

const EXAMPLES = path.resolve(__dirname, '../../examples');
const FILES = ['backend-engineer.en.yaml', 'support-lead.ru.yaml'] as const;

/** As phones and word processors write it. */
function typeset(text: string): string {
  return text
    .replace(/ - /g, '\u00a0— ')
    .replace(/(\d)-(\d)/g, '$1–$2')
    .replace(/"([^"]*)"/g, '«$1»')
    .replace(/'/g, '’')
    .replace(/\.\.\./g, '…')
    .replace(/(^|\s)(\S{1,2}) /g, '$1$2\u00a0');
}

interface Asked {
  readonly item: ScoreItem;
  readonly messages: readonly { readonly id: string; readonly text: string }[];
}

async function askedOf(file: (typeof FILES)[number]): Promise<Asked[]> {
  const { plan, language } = await readVacancyFile(path.join(EXAMPLES, file));
  return plan.questions.flatMap((question) => {
    const answers = ANSWERS[`${question.id}-${language}`] ?? ANSWERS[question.id] ?? [];
    return answers.flatMap((answer) =>
      [answer, typeset(answer)].flatMap((text) => {
        const said = text.replace(/\{([^|}]*)\|([^}]*)\}/g, '$2');
        const messages = said
          .split('\n\n')
          .map((each, n) => ({ id: `0192f3a1-${String(n)}`, text: normalised(each) }));
        return itemsOf(rubricOf(question)).map((item) => ({ item, messages }));
      }),
    );
  });
}

/** The mark or the fact that three samples give; null: a person has to read the answer. */
function resultOf({ item, messages }: Asked, first: number): number | string | null {
  const { request, read } = requestOf(item, messages);
  const content = request.messages[0]?.content ?? '';
  const named = messages.map(({ text }, index) => ({ id: `m${String(index + 1)}`, text }));
  const asked = { schema: request.schema.name, messages: named, system: request.system, content };
  const readings = Array.from({ length: SAMPLES }, (_, n) =>
    read(ratingOf('ordinary', asked, first + n)),
  );
  if (item.kind === 'criterion') {
    return markOf(criterionResult(readings as CriterionReading[]).result);
  }
  const { value } = factResult(readings as FactReading[]);
  return value === 'unclear' ? null : value;
}

test.each(FILES)(
  'an ordinary rater leaves at most one item in a hundred of %s without a rating, and none with another mark',
  async (file) => {
    const all = await askedOf(file);
    const results = all.map((asked, index) => ({ asked, result: resultOf(asked, index) }));

    const unrated = results.filter(({ result }) => result === null);
    expect(all.length).toBeGreaterThan(50);
    expect(unrated.length).toBeLessThanOrEqual(all.length / 100);
    for (const { asked, result } of results) {
      if (typeof result === 'number') expect(result).toBe(plantedMark(asked.messages));
    }
  },
);
