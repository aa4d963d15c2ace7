// Filters the contents of the reference by the typed text, and inserts this host into the commands. Without it the contents are
// unfiltered, and the host is that of a service on the local machine.
const origin = document.getElementById('origin');
if (origin !== null && location.origin.startsWith('http')) origin.textContent = location.origin;
const input = document.getElementById('filter');
if (input instanceof HTMLInputElement) {
  const nav = input.closest('nav');
  input.hidden = false;
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const item of nav.querySelectorAll('li')) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
    for (const list of nav.querySelectorAll('ul')) {
      const isEmpty = list.querySelector('li:not([hidden])') === null;
      list.hidden = isEmpty;
      if (list.previousElementSibling?.tagName === 'H2') list.previousElementSibling.hidden = isEmpty;
    }
  });
}
