const ANSWER_ID = '019aa3c2-4e77-7b9f-b1c2-9c3a8d5e6f01';

export const DECISION = {
  id: '7',
  candidateId: '019aa3d0-2b10-7a44-8c11-0d9e8f7a6b51',
  decidedBy: 'Nora Lindqvist',
  reason: 'Strong on payments.',
  decidedAt: '2026-11-26T10:00:00.000Z',
  isAdverse: false,
  letterBy: null,
  letterAt: null,
};

const COMMENT = {
  id: '019aa3d5-0c42-7b10-9a55-3e2d1c0b9a88',
  questionId: 'proud-of',
  author: 'Nora Lindqvist',
  isOwn: true,
  text: 'Ask in the next round what broke.',
  createdAt: '2026-11-25T10:12:00.000Z',
  editedAt: null,
};

/** Examples of scores, ratings and decisions, by the name of their schema. */
export const JUDGING_EXAMPLES: Readonly<Record<string, unknown>> = {
  ScorecardDto: {
    scorings: [
      {
        id: '019aa3d4-7a10-7e01-b1c2-0a1b2c3d4e5f',
        state: 'done',
        startedAt: '2026-11-25T09:53:00.000Z',
        endedAt: '2026-11-25T09:53:41.000Z',
        questions: [
          {
            id: 'proud-of',
            criteria: [
              {
                name: 'scale',
                weight: 100,
                result: 'supported',
                mark: 4,
                quotes: [{ messageId: ANSWER_ID, start: 0, end: 49 }],
                isDisputed: false,
              },
            ],
            facts: [],
          },
        ],
        inShadow: [],
        unrated: [],
        overall: 4,
      },
    ],
  },
  RatingsDto: {
    questions: [
      {
        id: 'proud-of',
        text: 'Which system have you built that you are proud of?',
        rubric: 'What was built, for whom, and what broke.',
        evidence: [{ messageId: ANSWER_ID, start: 0, end: 49 }],
        criteria: [
          {
            name: 'scale',
            weight: 100,
            anchors: [
              'Nothing was built.',
              'A part of a system.',
              'A system, without figures.',
              'A system, with its load.',
              'A system, its load, and what broke.',
            ],
            own: {
              mark: 4,
              note: 'Names the load, not what broke.',
              ratedAt: '2026-11-25T10:10:00.000Z',
            },
            others: [
              {
                by: 'Ada Stone',
                mark: 3,
                note: null,
                difference: -1,
                ratedAt: '2026-11-25T10:02:00.000Z',
              },
            ],
          },
        ],
        isRated: true,
        isFixed: true,
      },
    ],
  },
  RatingDto: {
    criteria: [{ name: 'scale', mark: 4, note: 'Names the load, not what broke.' }],
  },
  CommentDto: COMMENT,
  CommentListDto: { items: [COMMENT], closed: [], isClosed: false },
  CommentCreateDto: { questionId: COMMENT.questionId, text: COMMENT.text },
  CommentChangeDto: { text: COMMENT.text },
  DecisionDto: DECISION,
  DecisionCreateDto: { isAdverse: false, reason: DECISION.reason },
  InterviewDecisionsDto: { items: [DECISION] },
  DecisionFileDto: {
    format: 'colloquy-decision/1',
    payload: {
      n: 1,
      previous: null,
      madeAt: '2026-11-26T10:05:00.000Z',
      candidateId: DECISION.candidateId,
      decisions: [{ decidedBy: DECISION.decidedBy, reason: DECISION.reason }],
      interviews: [],
    },
    signature: '5f'.repeat(64),
  },
  DecisionListDto: { items: [DECISION], cursor: null },
};
