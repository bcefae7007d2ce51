/** Pure files, and the tests without a database that are to notice their changes. */
export const GROUPS = {
  plan: {
    files: ['src/interview/plan/{decide,state,pause}.ts'],
    tests: [
      'test/interview/plan*.spec.ts',
      'test/interview/{pause,after-end,natural-replies}.spec.ts',
    ],
  },
  'plan-words': {
    files: ['src/interview/plan/{asking,later,return-time,language}.ts'],
    tests: ['test/interview/{phrases,later,return-time,language}.spec.ts'],
  },
  'resend-rules': {
    files: ['src/delivery/resend-rules.ts'],
    tests: ['test/delivery/resend-rules.spec.ts'],
  },
  breakers: { files: ['src/jobs/breakers.ts'], tests: ['test/jobs/breaker-state.spec.ts'] },
  ranking: {
    files: ['src/notion-sync/board/{ranking,ranking-constraints,rank-explanation}.ts'],
    tests: ['test/notion-sync/{ranking,rank-explanation,ranking-properties,diff}.spec.ts'],
  },
  calendar: {
    files: ['src/common/calendar.ts'],
    tests: ['test/notion-sync/{calendar,calendar-corrections}.spec.ts'],
  },
  'limiter-timing': {
    files: ['src/notion-sync/api/limiter/limiter-timing.ts'],
    tests: ['test/notion-sync/api/limiter/limiter-timing.spec.ts'],
  },
  evidence: {
    files: ['src/scoring/evidence.ts'],
    tests: ['test/scoring/{evidence,instructions,typography,heard-words}.spec.ts'],
  },
  'verdict-gate': {
    files: ['src/interview/turn/verdict-gate.ts'],
    tests: ['test/interview/verdict-gate*.spec.ts'],
  },
};
