/** The recruiters' page keeps its language and what was entered. */
import { renderFrontPage } from '../../web/src/front/front-pages';

function recruiters(language: 'en' | 'ru', unreadable: string | null): string {
  return renderFrontPage({ kind: 'recruiters', isOff: false, unreadable }, language).body;
}

test.each(['en', 'ru'] as const)(
  'the form of the console sends the language on (%s)',
  (language) => {
    expect(recruiters(language, null)).toContain(
      `<input type="hidden" name="language" value="${language}"/>`,
    );
  },
);

test('the other language of the console shows the unreadable entry too', () => {
  expect(recruiters('en', null)).toContain('href="?language=ru"');
  expect(recruiters('en', 'my interview & me')).toContain(
    'href="?id=my+interview+%26+me&amp;language=ru"',
  );
});
