/** The icons. All are decoration: the text next to them says the same. */

/** The logo of Colloquy: two circles that overlap. */
export function Mark({ className = 'mark' }: { className?: string }) {
  return (
    <svg className={className} viewBox="0 0 32 32" aria-hidden="true">
      <path className="mark-shared" d="M16 7.94a9 9 0 0 1 0 16.12 9 9 0 0 1 0-16.12Z" />
      <circle cx="12" cy="16" r="9" />
      <circle cx="20" cy="16" r="9" />
    </svg>
  );
}

const PATHS = {
  send: 'M12 19V5M5.5 11.5 12 5l6.5 6.5',
  down: 'M12 5v14M5.5 12.5 12 19l6.5-6.5',
  forward: 'M5 12h14M12.5 5.5 19 12l-6.5 6.5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7.5 8.5a7.5 7.5 0 0 1 15 0',
  microphone:
    'M12 15a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v6a3 3 0 0 0 3 3Zm6.5-3.5a6.5 6.5 0 0 1-13 0M12 18v3',
  cross: 'm6 6 12 12M18 6 6 18',
  clip: 'm20 11.5-8.3 8.3a5 5 0 0 1-7.1-7.1l8.6-8.6a3.3 3.3 0 0 1 4.7 4.7l-8.6 8.6a1.7 1.7 0 0 1-2.4-2.4l7.9-7.8',
  document:
    'M14 3H7a1.5 1.5 0 0 0-1.5 1.5v15A1.5 1.5 0 0 0 7 21h10a1.5 1.5 0 0 0 1.5-1.5v-12L14 3Zm0 0v4.5h4.5',
  download: 'M12 4v11m-5-4.5 5 5 5-5M5 20h14',
  chevron: 'm6 9.5 6 6 6-6',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  dash: 'M6 12h12',
  clock: 'M12 7v5l3 2m6-2a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
