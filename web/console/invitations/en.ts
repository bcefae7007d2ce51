import type { InvitationTexts } from './texts';

const NUMBERS = new Intl.NumberFormat('en');

function counted(count: number, one: string, many = `${one}s`): string {
  return `${NUMBERS.format(count)} ${count === 1 ? one : many}`;
}

export const en: InvitationTexts = {
  filters: 'Filter the invitations',
  search: 'Search by name or external id',
  anyState: 'Any state',
  anyVacancy: 'Any vacancy',
  noVacancy: 'No such vacancy',
  clear: 'Show all invitations',
  name: 'Name',
  nameless: 'No name',
  vacancy: 'Vacancy',
  state: 'State',
  states: {
    invited: 'Not opened yet',
    opened: 'Opened, started or ended',
    expired: 'Expired',
    revoked: 'Revoked or replaced',
  },
  stages: {
    invited: 'Invited',
    opened: 'Opened',
    begun: 'Started',
    ended: 'Ended',
    expired: 'Expired',
    revoked: 'Revoked',
    replaced: 'Replaced',
  },
  validUntil: 'Valid until',
  shown: (count, hasMore) =>
    hasMore ? `${counted(count, 'invitation')}, and more` : counted(count, 'invitation'),
  empty: {
    title: 'Nobody is invited yet',
    text: 'Invite one person, or paste a list from a spreadsheet.',
  },
  nothing: {
    title: 'No invitation matches these filters',
    text: 'Enter the beginning of a name or a whole external id, or choose another state or vacancy.',
  },
  openNew: 'Invite',
  actions: 'Actions',
  actionsOf: (name) => `Actions for ${name}`,
  openInterview: 'Open the interview',

  reissue: {
    action: 'Issue again',
    title: (name) => `A new link for ${name}?`,
    text: 'The old link and PIN stop working at once, and browsers that came in by them are signed out. What was said stays.',
    until: 'Last day',
    untilNote: '14 days from now, if you leave it empty.',
  },
  revoke: {
    action: 'Revoke',
    title: (name) => `Revoke the invitation of ${name}?`,
    text: 'The link and the PIN stop working at once, and browsers that came in by them are signed out. What was said stays.',
    done: (name) => `The invitation of ${name} is revoked.`,
  },
  link: {
    title: (name) => `The invitation of ${name} is ready`,
    once: 'The link and the PIN are shown only now: the server keeps no copy. Send them before you close this.',
    web: 'Link',
    telegram: 'Telegram link',
    pin: 'PIN',
    pinNote: 'For whoever has lost the link: they send it to the bot in Telegram.',
    copy: 'Copy the link',
    copied: 'Copied',
    refused: 'The browser does not copy it here. Copy the selected text yourself.',
    message: 'Message to send',
    messageNote: 'You can change it before you copy it.',
    messageIn: { en: 'English', ru: 'Russian' },
    copyMessage: 'Copy the message',
    qr: 'QR code of the link',
    print: 'Print the QR code',
    printed: {
      scan: 'Open the camera of your phone and point it at the code.',
      until: 'Valid until',
    },
    close: 'Done',
  },

  newTitle: 'Invite candidates',
  one: {
    tab: 'One person',
    lead: 'You get a link, a PIN and a QR code, and send them yourself.',
    name: 'Name',
    email: 'E-mail',
    phone: 'Phone',
    externalId: 'External id',
    externalIdNote: 'Your own number of the person, if you have one.',
    validUntil: 'Last day',
    validUntilNote: '14 days from now, if you leave it empty.',
    action: 'Make the link',
    another: 'Invite another person',
    nobody: 'Enter a name, an e-mail address or a phone number.',
  },
  chooseVacancy: 'Choose a vacancy',
  vacancyNeeded: 'Choose the vacancy first.',
  closed: 'closed',
  vacancyClosed:
    'This vacancy is closed: nobody can be invited to it. Choose another one, or open it again on the page of vacancies.',

  many: {
    tab: 'Many people',
    lead: 'Paste rows from a spreadsheet, or choose a CSV file. Each person gets a link of their own.',
    paste: 'Rows of the spreadsheet',
    pasteNote: 'With the row of column names, if there is one. Up to 10,000 people.',
    file: 'Choose a CSV file',
    chosen: (name) => `From the file “${name}”`,
    noPreview: 'This file cannot be shown here. Send it, and you will be told what it is.',
    remove: 'Start again',
    columns: 'What the columns say',
    columnsNote:
      'Columns with known names are chosen already. Extra fields come back with each interview; leave out what is not needed.',
    hasHeader: 'The first row has the names of the columns',
    column: (number) => `Column ${String(number)}`,
    columnSays: (name) => `What “${name}” says`,
    choices: {
      name: 'Full name',
      firstName: 'First name',
      middleName: 'Middle name',
      lastName: 'Last name',
      email: 'E-mail',
      phone: 'Phone',
      telegram: 'Telegram',
      contact: 'Other contact',
      externalId: 'External id',
      validUntil: 'Last day',
      own: 'Extra field',
      leave: 'Do not send',
    },
    preview: (shown, of) =>
      shown === of
        ? counted(of, 'person', 'people')
        : `The first ${NUMBERS.format(shown)} of ${counted(of, 'person', 'people')}`,
    problems: {
      nobody:
        'No column says who is invited. Choose the one with names, e-mail addresses or phone numbers.',
      twice: 'Two columns say the same. Choose another meaning for one of them.',
    },
    tooLarge: 'The file is larger than 8 MB. Divide it into several files.',
    action: (people) => `Invite ${counted(people, 'person', 'people')}`,
    actionOfFile: 'Send the file',
  },
  import: {
    title: 'Inviting',
    lead: (vacancy) => `For ${vacancy}`,
    progress: 'Rows that are done',
    running: (done, of) => `${NUMBERS.format(done)} of ${NUMBERS.format(of)} rows are done`,
    finished: 'All rows are done. Nothing was sent: send the links yourself.',
    goesOn:
      'You may close this page: the invitations go on being made, and the list of invitations leads back here.',
    created: (count) => `${counted(count, 'link')} made`,
    refused: (count) => `${NUMBERS.format(count)} refused`,
    waiting: (count) => `${NUMBERS.format(count)} waiting`,
    rows: 'Every row',
    line: (line) => `Line ${String(line)}`,
    states: { waiting: 'Waiting', created: 'Link made', refused: 'Refused' },
    correct: {
      title: (count) => `${counted(count, 'row')} to correct`,
      text: 'Everybody else has a link. Correct these rows here: only they are sent again.',
      gone: 'Everybody else has a link. Correct these lines in your file and paste only them: a whole file would invite people without an external id a second time.',
      action: (count) => `Send ${counted(count, 'corrected row')}`,
      leave: 'Leave out',
      left: 'Left out',
    },
    links: {
      title: 'Links for a mail merge',
      text: 'A CSV file with the link, the Telegram link and the PIN of each person. Download it now: this browser alone has the key to the links, and forgets it after the download.',
      action: 'Download the links',
      busy: 'Reading the links…',
      done: 'Downloaded. The file lets anybody in who has it: keep it safe, and delete it when the messages are sent.',
      again: 'Download once more',
      unknown:
        'The links were downloaded already, or in another browser. Whoever has lost theirs gets a new one: issue the invitation again.',
      file: 'links',
      columns: {
        line: 'Line',
        externalId: 'External id',
        web: 'Link',
        telegram: 'Telegram link',
        pin: 'PIN',
      },
    },
    unknown: {
      title: 'There is nothing here any more',
      text: 'What became of the rows is kept for 30 days. The invitations stay.',
    },
    more: 'Invite more people',
  },
  kept: {
    text: (vacancy, rows, created, refused) =>
      `${vacancy}: links made for ${NUMBERS.format(created)} of ${counted(rows, 'row')}${refused > 0 ? `, ${NUMBERS.format(refused)} refused` : ''}. They are not downloaded yet, and nothing was sent.`,
    running: (vacancy, done, of) =>
      `${vacancy}: links are being made, ${NUMBERS.format(done)} of ${NUMBERS.format(of)} rows so far.`,
    open: 'Show',
    dismiss: 'Forget the links',
    ask: {
      title: 'Forget the links of this import?',
      text: 'The invitations stay, but nobody can read their links any more. You would have to issue each one again.',
      action: 'Forget',
    },
  },
  problems: {
    vacancy_closed:
      'The vacancy is closed: nobody can be invited to it. Choose another one, or open it again on the page of vacancies.',
    vacancy_unknown: 'This vacancy does not exist any more. Open the page again.',
    external_id_taken:
      'Somebody with this external id is invited to the vacancy already. Find them in the list and issue the invitation again.',
    invitation_revoked:
      'A colleague has issued this invitation again meanwhile. The list shows the new one.',
    invitation_unknown: 'This invitation does not exist any more: the person’s data was deleted.',
    import_unknown: 'What became of these rows is not kept any more. The invitations stay.',
    link_key_wrong: 'The key in this browser does not open the links of this import.',
    body_too_large: 'The file is larger than 8 MB. Divide it into several files.',
  },
};
