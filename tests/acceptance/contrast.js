() => {
  // Return the texts of a page with too little contrast, each with its contrast.
  const rgb = text => (text.match(/[\d.]+/g) || []).map(Number);
  const channel = value => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = element => {
    for (let one = element; one; one = one.parentElement) {
      const found = rgb(getComputedStyle(one).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const weak = [];
  for (const element of document.querySelectorAll('body *:not(svg *, script, option, datalist)')) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    const looks = getComputedStyle(element);
    if (!own || looks.visibility === 'hidden' || !element.getClientRects().length) continue;
    const [a, b] = [light(rgb(looks.color)), light(ground(element))].sort((x, y) => y - x);
    const size = parseFloat(looks.fontSize), large = size >= 24 || (size >= 18.66 && looks.fontWeight >= 700);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (large ? 3 : 4.5)) weak.push(`${element.textContent.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return weak;
}
