/** The console's icons, drawn like the candidate page's. All are decoration: a text beside them says the same. */
const PATHS = {
  inbox: 'M4 13.5 6.5 5.5h11L20 13.5V19H4zM4 13.5h4.5a3.5 3.5 0 0 0 7 0H20',
  interviews: 'M4 5.5h16v10.5h-8.5L7 20v-4H4zM8 9.5h8M8 12.5h5',
  invitations: 'M4 6h16v12.5H4zM4.5 7l7.5 6 7.5-6',
  vacancies: 'M4 8h16v11H4zM9 8V5h6v3M4 12.5h16M11 12.5v2h2v-2',
  people:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 8a6 6 0 0 1 12 0M16 4.9a3.5 3.5 0 0 1 0 6.2M17.5 14a6 6 0 0 1 3.5 5.5',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7.5 8.5a7.5 7.5 0 0 1 15 0',
  records: 'M6 3.5h8.5L19 8v12.5H6zM14 3.5V8.5h5M9 12.5h7M9 16h7',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 4.5 4.5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  plus: 'M12 5v14M5 12h14',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  chevron: 'm8 10 4-4 4 4M8 14l4 4 4-4',
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
