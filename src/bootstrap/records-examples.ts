/** An example of each body about exports, erasures, retention and the audit, by the name of its schema. */

const CANDIDATE_ID = '019aa3d0-2b10-7a44-8c11-0d9e8f7a6b51';

const CANDIDATE = {
  id: CANDIDATE_ID,
  name: 'Ada Lovelace',
  contact: 'ada@example.org',
  createdAt: '2026-11-25T09:20:00.000Z',
  externalIds: ['crm-17'],
  interviews: [{ id: '019aa3c1-5b0e-7c3a-9d14-2f6f0c1b7a55', vacancy: 'senior-backend-engineer' }],
  heldSince: null,
};

const DELETED = {
  transcript: 3,
  media: 12,
  scores: 0,
  decisions: 0,
  not_started: 7,
  preview: 1,
  account: 1,
};

export const RECORDS_EXAMPLES: Readonly<Record<string, unknown>> = {
  AuditListDto: {
    events: [
      {
        id: '118',
        at: '2026-11-25T09:45:00.000Z',
        actor: 'key crm',
        action: 'transcript.read',
        subjectHash: '6c'.repeat(32),
        subject: {
          kind: 'interview',
          id: '019aa3c1-5b0e-7c3a-9d14-2f6f0c1b7a55',
          name: 'Ada Lovelace',
        },
      },
    ],
    olderCursor: '118',
  },
  CandidateListDto: { items: [CANDIDATE], cursor: null },
  CandidateDto: {
    ...CANDIDATE,
    heldSince: '2026-11-26T08:00:00.000Z',
    stored: {
      interviews: 1,
      messages: 17,
      recordings: 1,
      files: 0,
      invitations: 1,
      scorings: 1,
      ratings: 6,
      decisions: 0,
      comments: 0,
    },
    hold: {
      reason: 'Claim 17/2026.',
      placedBy: 'command line',
      placedAt: '2026-11-26T08:00:00.000Z',
    },
    keptDays: 180,
  },
  RetentionDto: {
    rules: [
      {
        class: 'transcript',
        keptDays: 180,
        source: 'RETENTION_TRANSCRIPT_DAYS',
        count: 3,
        oldestAt: '2026-05-20T10:00:00.000Z',
      },
    ],
    holds: 1,
    nextRunAt: '2026-11-25T10:00:00.000Z',
  },
  RetentionRunDto: { deleted: DELETED, hasMore: false },
};

/** Examples of parameters below `/admin/candidates`. */
export const OF_CANDIDATES: Readonly<Record<string, unknown>> = {
  id: CANDIDATE_ID,
  cursor: CANDIDATE_ID,
};
