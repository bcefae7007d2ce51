/** The language that a browser prefers of those that the pages have (RFC 9110, 12.5.4). */
export function preferredLanguage(acceptLanguage: string | undefined): 'en' | 'ru' {
  const ranges = (acceptLanguage ?? '').split(',').map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return {
      language: tag.split('-')[0]?.toLowerCase(),
      quality: quality === undefined ? 1 : Number(quality.slice(2)),
    };
  });
  const [best] = ranges
    .filter(({ language, quality }) => (language === 'ru' || language === 'en') && quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return best?.language === 'ru' ? 'ru' : 'en';
}
