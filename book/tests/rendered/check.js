// Opens every page of the book in a frame, as wide as a desktop and as narrow as a phone, and writes what is wrong with it:
// a line for each finding, then "checked" and how many pages, links and searches there were. `main.rs` reads them.
//
// In the page: `PAGES` and `FILES` (paths in the book), `SEARCHES` (what a reader types, and a page that must be found).
"use strict";

const WIDTHS = { desktop: 1280, phone: 360 };
const THEMES = ["light", "rust", "coal", "navy", "ayu"];
const ROOT = new URL(".", location.href).href;
const findings = [];
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

function find(page, what) {
    const line = `${page}: ${what}`;
    if (!findings.includes(line)) findings.push(line);
}

/// A page in a frame of its own, loaded.
async function open(page, width) {
    const frame = document.createElement("iframe");
    frame.style.width = `${width}px`;
    frame.style.height = "844px";
    const loaded = new Promise((done) => (frame.onload = done));
    frame.src = ROOT + page;
    document.body.append(frame);
    await loaded;
    return frame;
}

/// Nothing sticks out of the page but what has a scroll bar of its own, and no picture is missing.
function checkLayout(page, device, frame) {
    const doc = frame.contentDocument;
    const edge = doc.documentElement.clientWidth + 1;
    const scrolls = (e) => ["auto", "scroll", "hidden"].includes(frame.contentWindow.getComputedStyle(e).overflowX);
    const main = doc.querySelector("main");
    for (const e of main.querySelectorAll("*")) {
        if (e.getBoundingClientRect().right <= edge) continue;
        let around = e.parentElement;
        while (around !== main && !scrolls(around)) around = around.parentElement;
        if (around === main) {
            find(page, `wider than a ${device}: <${e.tagName.toLowerCase()}> ${e.textContent.trim().slice(0, 40)}`);
            break;
        }
    }
    for (const image of doc.images) {
        if (!image.complete || image.naturalWidth === 0) find(page, `the picture ${image.getAttribute("src")} is not shown`);
    }
}

/// The text of a picture is large enough, inside of the picture, and on no other text.
function checkPictures(page, device, frame) {
    for (const picture of frame.contentDocument.querySelectorAll("svg.picture")) {
        const edges = picture.getBoundingClientRect();
        const scale = edges.width / picture.viewBox.baseVal.width;
        const placed = [];
        for (const text of picture.querySelectorAll("text")) {
            const says = (what) => find(page, `"${text.textContent}" in a picture on a ${device}: ${what}`);
            const size = scale * parseFloat(frame.contentWindow.getComputedStyle(text).fontSize);
            if (size < 11) says(`the letters have ${size.toFixed(1)} pixels`);
            // The box of a text has room above and below the letters.
            const box = text.getBoundingClientRect();
            const [left, right, top, bottom] = [box.left, box.right, box.top + size / 4, box.bottom - size / 4];
            if (left < edges.left || right > edges.right || top < edges.top || bottom > edges.bottom) says("sticks out");
            for (const [other, l, r, t, b] of placed) {
                if (left < r && right > l && top < b && bottom > t) says(`covers "${other}"`);
            }
            placed.push([text.textContent, left, right, top, bottom]);
        }
    }
}

/// How light a colour is, as the rules for accessible pages (WCAG 2) count it.
function luminance(colour) {
    const parts = colour.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/// In each theme, the text of pictures stands out from the page.
function checkThemes(page, frame) {
    const root = frame.contentDocument.documentElement;
    const style = (e) => frame.contentWindow.getComputedStyle(e);
    const texts = [...frame.contentDocument.querySelectorAll("svg.picture text")];
    if (texts.length === 0) return;
    const chosen = root.className;
    for (const theme of THEMES) {
        root.className = `js ${theme}`;
        for (const text of texts) {
            const [a, b] = [style(text).fill, style(root).backgroundColor].map(luminance);
            const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (contrast < 4.5) find(page, `"${text.textContent}" in a picture, in the theme ${theme}: contrast ${contrast.toFixed(1)}`);
        }
    }
    root.className = chosen;
}

/// The places in the book that a page links to, as [page, link, path, anchor].
function links(page, doc) {
    const found = [];
    for (const a of doc.querySelectorAll("main a[href]")) {
        const url = new URL(a.getAttribute("href"), ROOT + page);
        if (!url.href.startsWith(ROOT)) {
            if (!["http:", "https:"].includes(url.protocol)) find(page, `the link ${a.getAttribute("href")} leads out of the book`);
            continue;
        }
        const path = decodeURIComponent(url.href.slice(ROOT.length).split("#")[0]);
        found.push([page, a.getAttribute("href"), path, decodeURIComponent(url.hash.slice(1))]);
    }
    return found;
}

/// What the search finds, as links: a page that is opened with a search in its address makes it.
async function search(words) {
    const frame = await open(`${PAGES[0]}?search=${encodeURIComponent(words)}`, WIDTHS.desktop);
    const found = () => [...frame.contentDocument.querySelectorAll("#mdbook-searchresults a")];
    for (let tries = 0; tries < 100 && found().length === 0; tries++) await wait(100);
    const pages = found().map((a) => a.getAttribute("href").split(/[?#]/)[0]);
    frame.remove();
    return pages;
}

async function check() {
    const anchors = new Map();
    const all = [];
    for (const page of PAGES) {
        for (const [device, width] of Object.entries(WIDTHS)) {
            const frame = await open(page, width);
            const doc = frame.contentDocument;
            checkLayout(page, device, frame);
            checkPictures(page, device, frame);
            if (device === "desktop") {
                checkThemes(page, frame);
                anchors.set(page, new Set([...doc.querySelectorAll("[id]")].map((e) => e.id)));
                all.push(...links(page, doc));
            }
            frame.remove();
        }
    }
    for (const [page, link, path, anchor] of all) {
        if (!FILES.includes(path)) find(page, `the link ${link} leads nowhere`);
        else if (anchor && anchors.has(path) && !anchors.get(path).has(anchor)) find(page, `the link ${link}: no such heading`);
    }
    for (const [words, page] of SEARCHES) {
        const found = await search(words);
        if (!found.includes(page)) find("search", `"${words}" does not find ${page}, but ${found.slice(0, 3).join(", ") || "nothing"}`);
    }
    return `checked ${PAGES.length} pages, ${all.length} links, ${SEARCHES.length} searches`;
}

check()
    .catch((error) => `failed: ${error.stack}`)
    .then((last) => {
        const out = document.createElement("pre");
        out.id = "findings";
        out.textContent = [...findings, last].join("\n");
        document.body.replaceChildren(out);
        document.title = "done";
    });
