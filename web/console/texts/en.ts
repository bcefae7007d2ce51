import { waitOf } from '../../src/i18n/wait';
import type { Dictionary } from './dictionary';

const NUMBERS = new Intl.NumberFormat('en');

function counted(count: number, noun: string): string {
  return `${NUMBERS.format(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function afterA(seconds: number | null): string {
  return seconds === null ? 'a few minutes' : waitOf(seconds, 'en');
}

const PROBLEMS: Readonly<Record<string, string>> = {
  unreachable: 'The server isn’t responding. Check the connection and try again.',
  sign_in_wrong: 'The e-mail address or the password is not right.',
  sign_in_needed: 'Your session has ended. Sign in again.',
  password_needed: 'This needs your password. Try again and enter it.',
  scope_missing: 'Your role does not allow this.',
  user_name_taken: 'A colleague has or had this name. Add something that tells the two apart.',
  user_email_taken: 'A colleague already has this address.',
  password_weak: 'This password is too easy to guess. Choose another one.',
  last_admin: 'Nobody else is an admin. Make somebody else an admin first.',
  team_link_unknown: 'This link does not work any more.',
  team_link_ended: 'This link was used or revoked, or has expired.',
  user_unknown: 'There is no such colleague any more. Open the page again.',
  origin_refused: 'The request came from another address than this page. Open the page again.',
  user_disabled: 'This colleague is disabled. Enable them first.',
  user_vacancies_wrong: 'This role needs vacancies, or takes none.',
  user_without_password: 'This colleague signs in through your company and has no password here.',
  passwords_off:
    'People sign in through your company here, so no link with a password can be made.',
  vacancy_unknown: 'One of these vacancies does not exist any more. Open the page again.',
  user_session_unknown: 'This session has ended already.',
};

/** Of single sign-on. */
const SIGN_ON_PROBLEMS: Readonly<Record<string, string>> = {
  oidc_role_missing:
    'Your account has no role in Colloquy. Ask an admin of your company to give it one.',
  oidc_denied: 'Your company’s sign-in did not let you in, or you went back. Try again.',
  oidc_expired: 'The sign-in took too long, or was begun in another browser. Sign in again.',
  oidc_unavailable: 'Your company’s sign-in is not responding. Try again in a few minutes.',
  oidc_not_confirmed:
    'Your company’s sign-in did not ask you again. Try again; if that does not help, tell an admin.',
  oidc_subject_differs:
    'At your company’s sign-in you are somebody else than here. Choose the same account there.',
  oidc_off: 'There is no single sign-on here.',
  user_disabled: 'Your access is disabled. Ask an admin of your team.',
  sign_in_needed: 'Your session has ended. Sign in again.',
};

export const en: Dictionary = {
  language: { other: 'ru', switchTo: 'Русский' },
  loading: 'Loading…',
  close: 'Close',
  cancel: 'Cancel',
  failed: {
    title: 'This page can’t be shown right now',
    text: 'Nothing is lost. Please try again.',
    again: 'Try again',
  },
  notFound: {
    title: 'There is no page here',
    text: 'The address may be incomplete, or your role does not include this page.',
  },
  problem: ({ code, status, retryAfterS }) => {
    if (status === 429) return `Too many attempts. Try again in ${afterA(retryAfterS)}.`;
    if (status === 503) return `The server is busy. Try again in ${afterA(retryAfterS)}.`;
    return PROBLEMS[code] ?? `This did not work (${code}). Try again.`;
  },
  singleSignOnProblem: (code) =>
    SIGN_ON_PROBLEMS[code] ?? `Single sign-on did not work (${code}). Try again, or ask an admin.`,
  weakness: {
    short: 'A password has at least 12 characters.',
    long: 'A password has at most 256 characters.',
    personal: 'The password must not contain your name or address.',
    repeated: 'The password must not be one character repeated.',
  },
  wrong: {
    name: 'A name has letters, digits, spaces and the signs . , ’ ( ) -, and begins with a letter or a digit.',
    email: 'This is not an e-mail address.',
  },
  roles: {
    admin: { name: 'Admin', text: 'Everything, also colleagues and keys' },
    recruiter: { name: 'Recruiter', text: 'Vacancies, invitations, interviews, decisions' },
    interviewer: { name: 'Interviewer', text: 'Reads and rates interviews of named vacancies' },
    viewer: { name: 'Viewer', text: 'Reads interviews' },
  },

  fields: {
    name: 'Your name',
    email: 'E-mail',
    password: 'Password',
    newPassword: 'New password',
    passwordNote: 'At least 12 characters. A few unrelated words are easy to remember.',
    show: 'Show',
  },
  signIn: {
    title: 'Sign in',
    lead: (company) =>
      company === null
        ? 'The console is for the hiring team.'
        : `The console is for the hiring team of ${company}.`,
    missing: { email: 'Enter your e-mail address.', password: 'Enter your password.' },
    action: 'Sign in',
    busy: 'Signing in…',
    with: (provider) => `Continue with ${provider}`,
    or: 'or',
    forgotten: 'Forgotten your password? An admin of your team can send you a new link.',
    withToken: 'Read one interview with an admin token',
  },
  signedIn: {
    title: 'You are signed in',
    text: 'Close this window and go back to the page that you came from.',
    open: 'Open the console',
  },
  join: {
    invitation: {
      title: 'Join the hiring team',
      lead: (by) =>
        `${by === null ? '' : `${by} has invited you. `}Choose how your colleagues see you, and a password.`,
      action: 'Join',
    },
    password: {
      title: 'Choose a new password',
      lead: (by) =>
        `${by === null ? '' : `${by} has made this link for you. `}A new password ends your other sessions.`,
      action: 'Set the password',
    },
    vacancies: (titles) => `For: ${titles}`,
    missing: { name: 'Enter your name.', email: 'Enter your e-mail address.' },
    unknown: {
      title: 'This link leads nowhere',
      text: 'It may be incomplete. Open it again from the message in which you got it.',
    },
    ended: {
      title: 'This link no longer works',
      text: 'It works once and for a limited time. If you have joined already, sign in. Otherwise ask an admin for a new link.',
    },
  },
  gate: {
    ended: {
      title: 'Your session has ended',
      text: 'Sign in again to go on. What you have entered on the page is kept.',
    },
    confirm: {
      title: 'Is it you?',
      text: 'This touches what others may do, or people’s data, so please enter your password again.',
      oidc: 'This touches what others may do, or people’s data, so please sign in once more.',
      action: 'Continue',
      wrong: 'This password is not right.',
    },
    window: 'Sign in',
    blocked: 'The browser has blocked the window. Allow windows for this page and try again.',
  },

  shell: {
    skip: 'Skip to the content',
    places: 'Places',
    more: 'More',
    menuOf: (name) => `${name}: your menu`,
    scheme: 'Appearance',
    schemes: { system: 'Same as system', light: 'Light', dark: 'Dark' },
    signOut: 'Sign out',
    unsaved: {
      title: 'Sign out now?',
      text: 'Something that you have typed is not sent or not stored yet. It is lost when you sign out.',
    },
  },
  records: 'Records',
  shortcuts: {
    title: 'Keyboard shortcuts',
    then: 'then',
    or: 'or',
    rows: [
      { keys: ['g', 'n'], inOrder: true, scope: 'attention:read', text: 'Go to the inbox' },
      { keys: ['g', 'i'], inOrder: true, text: 'Go to the interviews' },
      { keys: ['g', 't'], inOrder: true, scope: 'invitations:read', text: 'Go to the invitations' },
      { keys: ['g', 'v'], inOrder: true, scope: 'vacancies:read', text: 'Go to the vacancies' },
      { keys: ['g', 'p'], inOrder: true, scope: 'users:write', text: 'Go to the people' },
      { keys: ['g', 'r'], inOrder: true, isOfRecords: true, text: 'Go to the records' },
      { keys: ['g', 'a'], inOrder: true, text: 'Go to your account' },
      { keys: ['/'], text: 'Search the interviews' },
      { keys: ['j', 'Down'], text: 'Next in the list' },
      { keys: ['k', 'Up'], text: 'Previous in the list' },
      { keys: ['Enter'], text: 'Open' },
      { keys: ['x'], scope: 'invitations:write', text: 'Select an interview, or not' },
      { keys: ['m'], scope: 'invitations:write', text: 'Remind the selected candidates' },
      { keys: ['c'], scope: 'invitations:write', text: 'Close the selected interviews' },
      { keys: ['l'], scope: 'invitations:write', text: 'New links for the selected interviews' },
      { keys: ['u'], text: 'Show what has changed in the list' },
      { keys: ['n'], scope: 'users:write', text: 'On the page of the people: invite a colleague' },
      { keys: ['r'], scope: 'attention:read', text: 'In the inbox: write to the candidate' },
      { keys: ['t'], scope: 'attention:read', text: 'In the inbox: take over the interview' },
      { keys: ['h'], scope: 'attention:read', text: 'In the inbox: hand the interview back' },
      { keys: ['c'], scope: 'attention:read', text: 'In the inbox: close with a reason' },
      {
        keys: ['n'],
        scope: 'invitations:write',
        text: 'On the page of the invitations: invite candidates',
      },
      {
        keys: ['1', '…', '5'],
        scope: 'ratings:write',
        text: 'In an interview: give the criterion this mark, and go on',
      },
      { keys: ['0'], scope: 'ratings:write', text: 'In an interview: it was not asked' },
      {
        keys: ['n'],
        scope: 'ratings:write',
        text: 'In an interview: write a note on the criterion',
      },
      {
        keys: ['t'],
        scope: 'ratings:write',
        text: 'In an interview: to the passage in the transcript, and back',
      },
      { keys: ['p'], scope: 'ratings:write', text: 'In an interview: listen to the passage' },
      { keys: ['m'], scope: 'ratings:write', text: 'In an interview: comment on the answer' },
      { keys: ['c'], scope: 'ratings:write', text: 'In an interview: show what others gave' },
      { keys: ['d'], scope: 'decisions:write', text: 'In an interview: decide' },
      { keys: ['b'], text: 'In an interview: read blind, or not' },
      { keys: ['h', 'Left'], text: 'The interview before it in the list' },
      { keys: ['l', 'Right'], text: 'The next interview in the list' },
      {
        keys: ['n'],
        scope: 'vacancies:write',
        text: 'On the page of the vacancies: begin a new one',
      },
      { keys: ['e'], scope: 'vacancies:read', text: 'On the page of a vacancy: go into its file' },
      { keys: ['Ctrl', 'S'], scope: 'vacancies:write', text: 'In the file of a vacancy: save it' },
      { keys: ['/'], scope: 'candidates:export', text: 'In the records: find a candidate' },
      { keys: ['n'], scope: 'keys:write', text: 'In the records: make a key' },
      { keys: ['p'], text: 'Print the report of an interview' },
      { keys: ['Esc'], text: 'Close a dialog, clear the search or the selection, leave a field' },
      { keys: ['?'], text: 'Show this list' },
    ],
  },

  inbox: {
    title: 'Inbox',
    waiting: (count, isMore) => `${NUMBERS.format(count)}${isMore ? ' or more' : ''} waiting`,
  },
  invitations: 'Invitations',
  vacancies: { title: 'Vacancies' },
  interviews: {
    title: 'Interviews',
    filters: 'Filter the interviews',
    search: 'Search by name',
    anyState: 'Any state',
    anyVacancy: 'Any vacancy',
    noVacancy: 'No such vacancy',
    clear: 'Show all interviews',
    export: 'Export',
    name: 'Name',
    nameless: 'No name yet',
    vacancy: 'Vacancy',
    state: 'State',
    states: {
      needs_person: 'Needs a person',
      waiting_for_us: 'Reply on its way',
      started: 'Candidate’s turn',
      opened: 'Opened',
      finished: 'Finished',
      scored: 'Scored',
      decided: 'Decided',
      withdrawn: 'Withdrawn',
      expired: 'Expired',
    },
    progress: 'Progress',
    notBegun: 'Not started',
    at: (question, of) => `Question ${question} of ${of}`,
    endedAt: (question, of) => `Ended at ${question} of ${of}`,
    answered: (answered, of) => `${answered} of ${of} answered`,
    shown: (count, hasMore) =>
      hasMore ? `${counted(count, 'interview')}, and more` : counted(count, 'interview'),
    empty: {
      title: 'No interviews yet',
      text: 'As soon as somebody opens an invitation, they appear here.',
    },
    nothing: {
      title: 'Nobody matches these filters',
      text: 'Enter the beginning of a name, or choose another state or vacancy.',
    },
  },

  people: {
    title: 'People',
    lead: 'Who works here, and what they may do. Changes take effect at once.',
    colleagues: (count) => counted(count, 'colleague'),
    invitations: 'Links that nobody has used yet',
    you: 'You',
    disabled: 'Disabled',
    somebody: 'Whoever opens it first',
    newPassword: 'New password',
    role: 'Role',
    vacancies: 'Vacancies',
    allVacancies: 'All vacancies',
    noVacancies: 'No vacancy yet',
    vacanciesNeeded: 'An interviewer needs at least one vacancy.',
    vacanciesOptional: 'If you choose none, a viewer reads all.',
    chooseVacancies: 'Choose',
    noVacancy: 'No such vacancy',
    noneToChoose: 'There are no vacancies yet',
    neverHere: 'Never signed in',
    signedIn: 'Signed in',
    sessions: (count) => counted(count, 'session'),
    invitedBy: (name) => `By ${name}`,
    madeAtServer: 'Made at the server',
    until: 'Valid until',
    actionsOf: (name) => `Actions for ${name}`,
    invite: {
      open: 'Invite',
      title: 'Invite a colleague',
      name: 'Name (they can change it)',
      email: 'E-mail (they can change it)',
      action: 'Make the link',
    },
    change: {
      open: 'Change the role',
      title: (name) => `What ${name} may do`,
      oidc: 'The role comes with the sign-in through your company: at the next one it is the role from there again. The vacancies stay.',
      action: 'Save',
      done: (name) => `The rights of ${name} are changed.`,
    },
    link: {
      invitation: {
        title: 'The invitation is ready',
        text: (name) =>
          `Send this link to ${name ?? 'your colleague'}. Whoever opens it first joins the team.`,
      },
      password: {
        title: 'The link is ready',
        text: (name) => `Send this link to ${name ?? 'your colleague'}, and to nobody else.`,
      },
      label: 'Link',
      once: 'It works once and is not shown again.',
      copy: 'Copy the link',
      copied: 'Copied',
      refused: 'The browser does not copy it here. Copy the selected link yourself.',
      close: 'Done',
    },
    passwordLink: 'Link for a new password',
    endSessions: {
      title: (name) => `Sign ${name} out everywhere?`,
      text: 'They can sign in again.',
      action: 'Sign out everywhere',
      done: (name) => `${name} is signed out everywhere.`,
    },
    disable: {
      title: (name) => `Disable ${name}?`,
      text: 'They are signed out at once and cannot sign in. What they have done stays under their name, and you can enable them again.',
      action: 'Disable',
      done: (name) => `${name} is disabled.`,
    },
    enable: {
      title: (name) => `Enable ${name} again?`,
      text: 'They can sign in again, with the role that they had.',
      action: 'Enable',
      done: (name) => `${name} can sign in again.`,
    },
    revoke: {
      title: (name) => `Revoke the link for “${name}”?`,
      text: 'The link stops working. You can make another one.',
      action: 'Revoke',
      done: 'The link is revoked.',
    },
  },

  account: {
    title: 'Account',
    sessions: {
      title: 'Where you are signed in',
      current: 'This one',
      unknownDevice: 'unknown device',
      since: 'Since',
      seen: 'Used',
      methods: { password: 'By password', oidc: 'By single sign-on' },
      one: {
        title: (device) => `End the session on ${device}?`,
        text: 'Whoever uses it has to sign in again.',
        action: 'End',
        done: 'The session has ended.',
      },
      others: {
        title: 'End all your other sessions?',
        text: 'You stay signed in here, and nowhere else.',
        action: 'End all others',
        done: 'You are signed in only here.',
      },
    },
    password: {
      title: 'Password',
      current: 'Current password',
      missing: 'Enter your current password.',
      action: 'Change the password',
      done: 'Your password is changed. Your other sessions have ended.',
      elsewhere: 'You sign in through your company, so your password is kept there.',
    },
  },
};
