/** An example of each body about colleagues, by the name of its schema in the document. */

const USER_ID = '019aa3e0-5b0e-7c3a-9d14-2f6f0c1b7a55';
const LINK_ID = '019aa3e0-6c1f-7d02-8a0b-51c7d9e4b210';
const SESSION_ID = '019aa3e0-7d2a-7b9f-b1c2-9c3a8d5e6f01';
const PASSWORD = 'seven green harbour cranes';
const LINK = 'https://interviews.example.org/console/join/Hb4nq8Yt2LsW6vKd0PbX1mHcQa7uEo9d';

const PERSON = {
  name: 'Nora Lindqvist',
  email: 'nora@example.org',
  role: 'interviewer',
  vacancies: ['senior-backend-engineer'],
};

const USER = {
  id: USER_ID,
  ...PERSON,
  method: 'password',
  createdAt: '2026-11-20T08:00:00.000Z',
  createdBy: 'user Ada Lovelace',
  signedInAt: '2026-11-25T08:55:00.000Z',
  disabledAt: null,
  sessions: 1,
};

const SESSION = {
  user: { id: USER_ID, ...PERSON },
  scopes: ['vacancies:read', 'interviews:read', 'attention:read', 'ratings:write'],
  method: 'password',
  confirmedUntil: '2026-11-25T09:05:00.000Z',
  endsAt: '2026-11-25T20:55:00.000Z',
};

const TAB_ID = '7d6f2f0e-4a0b-4f6e-9a55-0c1de8c6a001';

const VIEW = {
  id: '7d6f2f0e-4a0b-4f6e-9a55-0c1de8c6a002',
  name: 'Needs me, backend',
  query: 'state=needs_person&vacancy=senior-backend-engineer',
};

export const PEOPLE_EXAMPLES: Readonly<Record<string, unknown>> = {
  SignInWaysDto: { password: true, oidc: null, company: 'Harbourline' },
  SignInDto: { email: 'nora@example.org', password: PASSWORD },
  PasswordDto: { password: PASSWORD },
  PasswordChangeDto: { current: PASSWORD, next: 'eight yellow harbour cranes' },
  TeamSessionDto: SESSION,
  TeamSessionListDto: {
    sessions: [
      {
        id: SESSION_ID,
        createdAt: '2026-11-25T08:55:00.000Z',
        seenAt: '2026-11-25T09:30:00.000Z',
        method: 'password',
        device: 'Firefox, Linux',
        isCurrent: true,
      },
    ],
  },
  ReadingDto: { tab: TAB_ID, interviewId: null },
  ViewDto: VIEW,
  ViewListDto: { views: [VIEW] },
  NewViewDto: { name: VIEW.name, query: VIEW.query },
  TeamLinkDto: {
    kind: 'invitation',
    ...PERSON,
    vacancies: [{ slug: 'senior-backend-engineer', title: 'Senior Backend Engineer (Payments)' }],
    invitedBy: 'user Ada Lovelace',
    expiresAt: '2026-11-27T08:00:00.000Z',
  },
  TeamLinkUseDto: { name: 'Nora Lindqvist', email: 'nora@example.org', password: PASSWORD },
  UserDto: USER,
  UserListDto: {
    users: [USER],
    invitations: [
      {
        id: LINK_ID,
        kind: 'invitation',
        name: null,
        email: 'grace@example.org',
        role: 'recruiter',
        vacancies: null,
        createdAt: '2026-11-25T09:00:00.000Z',
        createdBy: 'user Ada Lovelace',
        expiresAt: '2026-12-02T09:00:00.000Z',
      },
    ],
  },
  UserInviteDto: { role: 'recruiter', email: 'grace@example.org' },
  UserInvitationDto: { id: LINK_ID, link: LINK, expiresAt: '2026-12-02T09:00:00.000Z' },
  PasswordLinkDto: { link: LINK, expiresAt: '2026-11-26T09:00:00.000Z' },
  UserChangeDto: { role: 'viewer' },
};

/** The id in an address about a user, a session or a link. */
export function personId(path: string): string {
  if (path.includes('/invitations/')) return LINK_ID;
  return path.includes('/sessions/') ? SESSION_ID : USER_ID;
}
